package check

import "testing"

func TestAsksForSecret(t *testing.T) {
	for name, want := range map[string]bool{
		"token": true, "api_key": true, "apiKey": true, "APIKey": true, "API_KEY": true, "apikey": true,
		"github_token": true, "githubToken": true, "db-password": true, "DB_PASSWD": true, "client_secret": true,
		"aws_secret_access_key": true, "privateKey": true, "password2": false, "credentials": true, "access_token": true,

		"": false, "_": false, "key": false, "keyword": false, "query": false, "author": false, "monkey": false,
		"max_tokens": false, "token_count": false, "next_page_token": false, "pageToken": false, "password_policy": false,
		"secret_name": false, "access_key_id": false, "tokenizer": false, "tokens": false, "primary_key": false,
		"passwordless": false, "ключ": false,
	} {
		if got := asksForSecret(name); got != want {
			t.Errorf("asksForSecret(%q) = %t, want %t", name, got, want)
		}
	}
}
