package leak

var CheckFor = check
