package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

var tools = map[string]func(*call) (any, error){
	"types":     types,
	"whoami":    whoami,
	"report":    report,
	"count":     count,
	"summarize": summarize,
	"complete":  complete,
	"converse":  converse,
	"remember":  remember,
	"save_file": saveFile,
	"draw":      draw,
	"share":     share,
	"embed":     embed,
}

func types(c *call) (any, error) {
	// json.Number keeps the digits of a number that a float64 cannot hold.
	args := struct {
		Text    string          `json:"text"`
		Count   json.Number     `json:"count"`
		Mode    string          `json:"mode"`
		Ratio   json.Number     `json:"ratio,omitempty"`
		Flag    *bool           `json:"flag,omitempty"`
		Tags    []string        `json:"tags,omitempty"`
		Sizes   []json.Number   `json:"sizes,omitempty"`
		Words   []string        `json:"words,omitempty"`
		Options json.RawMessage `json:"options,omitempty"`
	}{Count: "1", Mode: "safe"}
	err := c.arguments(&args)
	return args, err
}

func whoami(c *call) (any, error) {
	token := c.credential("GITHUB_ACCESS_TOKEN")
	if token == "" {
		return nil, toolError("GITHUB_ACCESS_TOKEN is not set")
	}
	return map[string]any{
		"token":    fmt.Sprintf("%d characters", utf8.RuneCountInString(token)),
		"greeting": c.credential("EXAMPLE_GREETING"),
		"signed":   c.credential("EXAMPLE_SIGNATURE") != "",
	}, nil
}

func report(c *call) (any, error) {
	var args struct {
		Rows int `json:"rows"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	if args.Rows < 0 {
		return nil, toolError("there cannot be fewer than no rows")
	}
	type row struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		Note string `json:"note"`
	}
	rows := make([]row, args.Rows)
	for i := range rows {
		rows[i] = row{i, fmt.Sprint("row ", i), "— ünïcode 行 🙂"}
	}
	return map[string]any{"rows": rows}, nil
}

func count(c *call) (any, error) {
	var args struct {
		Steps int `json:"steps"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	for step := 1; step <= args.Steps; step++ {
		if err := c.progress(map[string]int{"step": step, "total": args.Steps}); err != nil {
			return nil, err
		}
	}
	return map[string]int{"steps": args.Steps}, nil
}

// A completion is what the host's model answers.
type completion struct {
	Content struct {
		Text string `json:"text"`
	} `json:"content"`
}

func userMessage(text string) []any {
	return []any{map[string]any{"role": "user", "content": map[string]string{"type": "text", "text": text}}}
}

func summarize(c *call) (any, error) {
	var args struct {
		Text string `json:"text"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	var answer completion
	err := c.call("sampling/createMessage", map[string]any{
		"messages":       userMessage("Summarize:\n" + args.Text),
		"maxTokens":      400,
		"includeContext": "none",
		"metadata":       map[string]string{"executa_invoke_id": c.Context.InvokeID},
	}, &answer)
	return map[string]string{"summary": answer.Content.Text}, err
}

func complete(c *call) (any, error) {
	var args struct {
		Prompt string `json:"prompt"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	var answer completion
	err := c.call("agent/complete", map[string]any{"messages": userMessage(args.Prompt), "maxTokens": 400}, &answer)
	return map[string]string{"text": answer.Content.Text}, err
}

func converse(c *call) (_ any, err error) {
	var args struct {
		Message string `json:"message"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	var session struct {
		UUID string `json:"app_session_uuid"`
	}
	if err := c.call("agent/session.create", map[string]any{"kind": "agent", "agent_submode": "auto"}, &session); err != nil {
		return nil, err
	}
	defer func() {
		end := c.call("agent/session.delete", map[string]any{"app_session_uuid": session.UUID}, nil)
		if err == nil {
			err = end
		}
	}()
	var run struct {
		Frames []struct {
			Event string `json:"event"`
			Text  string `json:"text"`
		} `json:"frames"`
	}
	err = c.call("agent/session.run", map[string]any{"app_session_uuid": session.UUID, "content": args.Message}, &run)
	if err != nil {
		return nil, err
	}
	// One kind of host sends the text in pieces, another as a whole.
	texts := map[string]string{}
	for _, frame := range run.Frames {
		texts[frame.Event] += frame.Text
	}
	var history struct {
		Messages []json.RawMessage `json:"messages"`
	}
	err = c.call("agent/session.history", map[string]any{"app_session_uuid": session.UUID}, &history)
	text := texts["final"]
	for _, event := range []string{"delta", "token"} {
		if text == "" {
			text = texts[event]
		}
	}
	return map[string]any{"text": text, "messages": len(history.Messages)}, err
}

func remember(c *call) (any, error) {
	var args struct {
		Note   string `json:"note"`
		Text   string `json:"text"`
		Forget bool   `json:"forget"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	key := "notes/" + args.Note
	var old struct {
		Value  json.RawMessage `json:"value"`
		Exists bool            `json:"exists"`
		ETag   string          `json:"etag"`
	}
	if err := c.call("storage/get", map[string]any{"scope": "tool", "key": key}, &old); err != nil {
		return nil, err
	}
	set := map[string]any{"scope": "tool", "key": key, "value": map[string]string{"text": args.Text}}
	// Look at "exists", not at the value: that may be false, or empty.
	if old.Exists {
		set["if_match"] = old.ETag // an error if somebody else has changed it meanwhile
	}
	var kept struct {
		ETag string `json:"etag"`
	}
	if err := c.call("storage/set", set, &kept); err != nil {
		return nil, err
	}
	var list struct {
		Items []struct {
			Key string `json:"key"`
		} `json:"items"`
	}
	if err := c.call("storage/list", map[string]any{"scope": "tool", "prefix": "notes/"}, &list); err != nil {
		return nil, err
	}
	if args.Forget {
		if err := c.call("storage/delete", map[string]any{"scope": "tool", "key": key}, nil); err != nil {
			return nil, err
		}
	}
	notes := []string{}
	for _, item := range list.Items {
		notes = append(notes, item.Key)
	}
	result := map[string]any{"before": nil, "etag": kept.ETag, "notes": notes}
	if old.Exists {
		result["before"] = old.Value
	}
	return result, nil
}

func saveFile(c *call) (any, error) {
	var args struct {
		Path    string `json:"path"`
		Content string `json:"content"`
		Discard bool   `json:"discard"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	const kind = "text/plain; charset=utf-8"
	file := func(more map[string]any) map[string]any {
		params := map[string]any{"scope": "user", "path": args.Path}
		for k, v := range more {
			params[k] = v
		}
		return params
	}
	var target struct {
		PutURL       string            `json:"put_url"`
		PresignedURL string            `json:"presigned_url"`
		Headers      map[string]string `json:"headers"`
	}
	begin := file(map[string]any{"content_type": kind, "size_bytes": len(args.Content)})
	if err := c.call("files/upload_begin", begin, &target); err != nil {
		return nil, err
	}
	if target.PutURL == "" {
		target.PutURL = target.PresignedURL
	}
	tag, err := put(target.PutURL, kind, target.Headers, args.Content)
	if err != nil {
		return nil, err
	}
	var done struct {
		Path string `json:"path"`
		Size int    `json:"size_bytes"`
	}
	if err := c.call("files/upload_complete", file(map[string]any{"etag": tag}), &done); err != nil {
		return nil, err
	}
	var link struct {
		URL string `json:"url"`
	}
	if err := c.call("files/download_url", file(nil), &link); err != nil {
		return nil, err
	}
	var list struct {
		Items []struct {
			Path string `json:"path"`
		} `json:"items"`
	}
	if err := c.call("files/list", map[string]any{"scope": "user", "prefix": ""}, &list); err != nil {
		return nil, err
	}
	if args.Discard {
		if err := c.call("files/delete", file(nil), nil); err != nil {
			return nil, err
		}
	}
	files := []string{}
	for _, item := range list.Items {
		files = append(files, item.Path)
	}
	return map[string]any{"path": done.Path, "bytes": done.Size, "url": link.URL, "files": files}, nil
}

// put uploads a file and returns its tag.
func put(url, kind string, headers map[string]string, content string) (string, error) {
	req, err := http.NewRequest(http.MethodPut, url, strings.NewReader(content))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", kind)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", toolError(err.Error())
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode/100 != 2 {
		return "", toolError("the upload failed: " + resp.Status)
	}
	return strings.Trim(resp.Header.Get("ETag"), `"`), nil
}

func draw(c *call) (any, error) {
	var args struct {
		Prompt  string `json:"prompt"`
		Restyle string `json:"restyle"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	var made struct {
		Images []struct {
			URL string `json:"url"`
		} `json:"images"`
		Model string `json:"model"`
	}
	generate := map[string]any{"prompt": args.Prompt, "n": 1, "size": "1024x1024"}
	if err := c.call("image/generate", generate, &made); err != nil {
		return nil, err
	}
	if len(made.Images) == 0 {
		return nil, toolError("the host made no picture")
	}
	if args.Restyle != "" {
		edit := map[string]any{"image_url": made.Images[0].URL, "prompt": args.Restyle, "n": 1}
		if err := c.call("image/edit", edit, &made); err != nil {
			return nil, err
		}
		if len(made.Images) == 0 {
			return nil, toolError("the host made no picture")
		}
	}
	return map[string]string{"url": made.Images[0].URL, "model": made.Model}, nil
}

func share(c *call) (any, error) {
	var args struct {
		Filename string `json:"filename"`
		Content  string `json:"content"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	var kept struct {
		URL  string `json:"download_url"`
		Size int    `json:"size_bytes"`
	}
	err := c.call("host/uploadFile", map[string]any{
		"mode":        "inline",
		"filename":    args.Filename,
		"mime_type":   "text/plain",
		"purpose":     "user_artifact",
		"content_b64": base64.StdEncoding.EncodeToString([]byte(args.Content)),
	}, &kept)
	return map[string]any{"url": kept.URL, "bytes": kept.Size}, err
}

func embed(c *call) (any, error) {
	var args struct {
		Texts []string `json:"texts"`
	}
	if err := c.arguments(&args); err != nil {
		return nil, err
	}
	var made struct {
		Data []struct {
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := c.call("embeddings/create", map[string]any{"input": args.Texts}, &made); err != nil {
		return nil, err
	}
	vectors := [][]float64{}
	for _, item := range made.Data {
		vectors = append(vectors, item.Embedding)
	}
	return map[string]any{"vectors": vectors}, nil
}
