package script_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/workers/script"
)

const minimal = `"default":{"developer":[{"steps":[{"final":"x"}]}],"reviewer":[{"steps":[{"final":"x"}]}],"cleaner":[{"steps":[{"final":"x"}]}]}`

func TestParseFaults(t *testing.T) {
	t.Parallel()
	step := func(s string) string {
		return `{"version":1,` + minimal + `,"issues":{"A-1":{"developer":[{"steps":[` + s + `,{"final":"x"}]}]}}}`
	}
	const at = "issues.A-1.developer[0].steps[0]"
	for _, c := range []struct{ name, in, want string }{
		{"no JSON", "{\n\n oops", "line 3: not valid JSON"},
		{"empty", "", "line 1: not valid JSON"},
		{"two values", `{"version":1} {}`, "text after the end"},
		{"a list", `[]`, "the file: must be an object"},
		{"newer", `{"version":2,` + minimal + `}`, "version: is 2; this program reads version 1"},
		{"no default", `{"version":1,"default":{}}`, "default.reviewer: is required"},
		{"unknown key", `{"version":1,"spead":2,` + minimal + `}`, "spead: unknown; known are"},
		{"twice", `{"version":1,"version":1,` + minimal + `}`, "version: is there twice"},
		{"type", `{"version":"1",` + minimal + `}`, "version: must be a whole number"},
		{"negative", `{"version":1,"speed":-1,` + minimal + `}`, "speed: must not be negative"},
		{"same issue", `{"version":1,` + minimal + `,"issues":{"a-1":{},"A-1":{}}}`, "is the same issue as A-1"},
		{"kind", `{"version":1,` + minimal + `,"issues":{"A-1":{"boss":[]}}}`, "issues.A-1.boss: is no kind of worker"},
		{"condition", step(`{"when":["maybe"],"say":"x"}`), at + `.when[0]: unknown condition "maybe"`},
		{"asks what it does not run", step(`{"say":"x","ask":true}`), at + ": ask, mayFail, capture and files belong to run"},
		{"a question without a variable", step(`{"question":{"text":"?"}}`), at + ".question: as must name a variable"},
		{"an answer that is a fact", step(`{"question":{"text":"?","as":"ref"}}`), at + ".question.as: is a variable"},
		{"no action", step(`{"when":["pr"]}`), at + ": has 0 actions"},
		{"two actions", step(`{"say":"x","pause":5}`), at + ": has 2 actions [pause say]"},
		{"unknown in a step", step(`{"shout":"x"}`), at + ".shout: unknown"},
		{"path", step(`{"write":{"path":"../x","content":""}}`), at + `.write.path: "../x" is not inside`},
		{"absolute", step(`{"append":{"path":"/etc/x","content":""}}`), at + ".append.path"},
		{"git's own", step(`{"replace":{"path":".git/config","old":"a","new":""}}`), at + `.replace.path: ".git/config" belongs to git`},
		{"nothing to run", step(`{"run":[]}`), at + ".run: must name a program"},
		{"expression", step(`{"run":["x"],"capture":{"n":"("}}`), at + ".capture.n: is no regular expression"},
		{"fixed variable", step(`{"run":["x"],"capture":{"ref":"x"}}`), at + ".capture.ref: is a variable that can't be set"},
		{"unknown variable", step(`{"say":"{{nope}}"}`), at + ": unknown variable {{nope}}"},
		{"file name", step(`{"run":["x"],"files":{"a/b":""}}`), at + ".files.a/b: must be a plain file name"},
		{"mayFail elsewhere", step(`{"say":"x","mayFail":true}`), "belong to run"},
		{"exit code", step(`{"exit":256}`), at + ".exit: must be from 0 to 255"},
		{"no end", `{"version":1,` + minimal + `,"issues":{"A-1":{"cleaner":[{"steps":[{"say":"x"}]}]}}}`, "the last step must always be final, crash or exit"},
		{"maybe no end", `{"version":1,` + minimal + `,"issues":{"A-1":{"cleaner":[{"steps":[{"when":["pr"],"final":"x"}]}]}}}`, "the last step must always be"},
		{"no steps", `{"version":1,` + minimal + `,"issues":{"A-1":{"cleaner":[{"steps":[]}]}}}`, "issues.A-1.cleaner[0].steps: is empty"},
		{"reviewer writes", `{"version":1,` + minimal + `,"issues":{"A-1":{"reviewer":[{"steps":[{"write":{"path":"x","content":""}},{"final":"x"}]}]}}}`, "a reviewer writes no files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := script.Parse([]byte(c.in))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := script.Parse([]byte(`{"version":3,"speed":-1,"turnCostUSD":-1,` + minimal + `}`))
	faults, ok := errors.AsType[*script.FaultsError](err)
	if !ok || len(faults.Faults) != 3 {
		t.Errorf("error %v", err)
	}
}

func TestMarshalRoundTrip(t *testing.T) {
	t.Parallel()
	f, err := script.Parse([]byte(situations))
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := script.Parse(data)
	if err != nil || !reflect.DeepEqual(f, again) {
		t.Errorf("not the same after a round trip: %v", err)
	}
	if _, err := (&script.File{}).Marshal(); err == nil {
		t.Error("a file with faults was written")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(situations))
	f.Add([]byte(`{"version":1,` + minimal + `,"issues":{"A-1":{"developer":[{"steps":[{"run":["x"],"capture":{"n":"("}},{"exit":0}]}]}}}`))
	f.Add([]byte(`[[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := script.Parse(data)
		if err != nil {
			return
		}
		if _, err := file.Marshal(); err != nil {
			t.Errorf("accepted, but can't be written: %v", err)
		}
	})
}
