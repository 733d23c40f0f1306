# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Headless Chromium for tests of pages: WebDriver (https://www.w3.org/TR/webdriver2/) over HTTP, with curl and jq.
#
#     . "$source/test/browser/lib.sh"
#     browser_start                         needs a directory that can be written to: ./browser
#     browser_open pages/index.html         a file, or a URL
#     [ "$(browser_js 'return document.title')" = '"Title"' ]    any JSON value
#     browser_click 'th:nth-child(2) button'
#     browser_keys j                        to the element that has the focus
#     browser_stop                          also at the end of the shell, if it is a trap
#
# A function that fails prints a sentence and returns 1.  Nothing is loaded from the network: the browser resolves no host.

# browser_call METHOD PATH [BODY]: prints the value of the answer
browser_call() {
	curl -s -m 60 -X "$1" -H 'Content-Type: application/json' ${3+-d "$3"} "$browser_url$2" >browser/answer.json ||
		{ echo "the browser does not answer $1 $2"; return 1; }
	if jq -e '.value | type == "object" and has("error")' browser/answer.json >/dev/null; then
		jq -r '"\(.value.error): \(.value.message)"' browser/answer.json | head -n 3
		return 1
	fi
	jq -c .value browser/answer.json
}

browser_start() {
	mkdir -p browser/profile
	chromedriver --port=0 >browser/driver.log 2>&1 &
	browser_pid=$!
	browser_url= browser_session=
	for _ in $(seq 100); do
		port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' browser/driver.log)
		[ -z "$port" ] || break
		sleep 0.1
	done
	[ -n "$port" ] || { cat browser/driver.log; echo "chromedriver does not start"; return 1; }
	browser_url=http://127.0.0.1:$port
	# --disable-dev-shm-usage, because /dev/shm is small in containers
	capabilities=$(jq -n --arg profile "--user-data-dir=$PWD/browser/profile" '{capabilities: {alwaysMatch: {browserName: "chrome",
		"goog:loggingPrefs": {browser: "ALL"}, "goog:chromeOptions": {args: [$profile, "--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-dev-shm-usage", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--hide-scrollbars",
		"--window-size=1280,900"]}}}}')
	answer=$(browser_call POST /session "$capabilities") || { echo "$answer"; return 1; }
	browser_session=/session/$(printf '%s' "$answer" | jq -r .sessionId)
}

browser_stop() {
	[ -z "${browser_session-}" ] || curl -s -m 20 -X DELETE "$browser_url$browser_session" >/dev/null 2>&1 || :
	[ -z "${browser_pid-}" ] || { kill "$browser_pid" 2>/dev/null && wait "$browser_pid" 2>/dev/null; } || :
	browser_session= browser_pid=
}

# browser_open FILE or URL (a URL contains ://); FILE may end in #FRAGMENT
browser_open() {
	case $1 in
	*://*) browser_target=$1 ;;
	*) browser_target=file://$(realpath "${1%%#*}")$(case $1 in *'#'*) echo "#${1#*#}" ;; esac) ;;
	esac
	browser_call POST "$browser_session/url" "$(jq -n --arg url "$browser_target" '{url: $url}')" >browser/opened || { cat browser/opened; return 1; }
}

# browser_js SCRIPT [ARGUMENT...]: prints what the body of a function returns, as JSON; arguments[i] are strings
browser_js() {
	browser_script=$1
	shift
	browser_call POST "$browser_session/execute/sync" "$(jq -n --arg script "$browser_script" '{script: $script, args: $ARGS.positional}' --args -- "$@")"
}

# browser_wait SCRIPT [ARGUMENT...]: until the function returns something true, for at most 10 seconds
browser_wait() {
	for _ in $(seq 100); do
		browser_value=$(browser_js "$@") || { echo "$browser_value"; return 1; }
		case $browser_value in false | null | 0 | '""') sleep 0.1 ;; *) return 0 ;; esac
	done
	echo "never true: $1"
	return 1
}

# browser_find CSS: prints the reference of the first element
browser_find() {
	browser_call POST "$browser_session/element" "$(jq -n --arg css "$1" '{using: "css selector", value: $css}')" >browser/found ||
		{ echo "no element $1"; return 1; }
	jq -r '.[]' browser/found
}

# browser_click CSS: as a person clicks, so the element must be visible
browser_click() {
	element=$(browser_find "$1") || { echo "$element"; return 1; }
	browser_call POST "$browser_session/element/$element/click" '{}' >browser/clicked || { cat browser/clicked; return 1; }
}

# browser_type CSS TEXT: into an element, after what it has
browser_type() {
	element=$(browser_find "$1") || { echo "$element"; return 1; }
	browser_call POST "$browser_session/element/$element/value" "$(jq -n --arg text "$2" '{text: $text}')" >browser/typed ||
		{ cat browser/typed; return 1; }
}

# browser_keys TEXT: presses keys; special keys are characters of WebDriver, such as \ue015 (printf) for the down arrow
browser_keys() {
	browser_call POST "$browser_session/actions" "$(jq -n --arg text "$1" '{actions: [{type: "key", id: "keys",
		actions: [$text | explode[] | [.] | implode | {type: "keyDown", value: .}, {type: "keyUp", value: .}]}]}')" >browser/pressed ||
		{ cat browser/pressed; return 1; }
}

# browser_devtools COMMAND PARAMETERS: of the Chrome DevTools protocol
browser_devtools() {
	browser_call POST "$browser_session/goog/cdp/execute" "$(jq -n --arg cmd "$1" --argjson params "$2" '{cmd: $cmd, params: $params}')" \
		>browser/devtools || { cat browser/devtools; return 1; }
}

# browser_wide, browser_narrow: a desk and a phone
browser_wide() { browser_devtools Emulation.setDeviceMetricsOverride '{"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false}'; }
browser_narrow() { browser_devtools Emulation.setDeviceMetricsOverride '{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true}'; }
# browser_scheme light|dark
browser_scheme() { browser_devtools Emulation.setEmulatedMedia "{\"features\": [{\"name\": \"prefers-color-scheme\", \"value\": \"$1\"}]}"; }

# browser_picture FILE.png: of what is visible
browser_picture() {
	browser_call GET "$browser_session/screenshot" >browser/picture || { cat browser/picture; return 1; }
	jq -r . browser/picture | base64 -d >"$1"
}

# browser_errors: prints what was written to the console as an error or warning since the last call; "" if nothing was
browser_errors() {
	browser_call POST "$browser_session/se/log" '{"type": "browser"}' >browser/log || { cat browser/log; return 1; }
	jq -r '.[] | select(.level == "SEVERE" or .level == "WARNING").message' browser/log
}
