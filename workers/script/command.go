package script

// The hidden command of our own program that is the scripted agent, and its
// flags: those of the real command.
const (
	CommandName = "__agent"
	FlagSession = "session-id"
	FlagResume  = "resume"
	FlagAskFor  = "ask-for"
)

// Command is the argument list that starts the scripted agent on a session of
// its own, or goes on with one. askFor are rules of commands that it asks for
// before it runs them. Everything else reaches it by the environment:
// DISPATCHER_WORKER, DISPATCHER_REF and DISPATCHER_RUN; DISPATCHER_ATTEMPT (1
// where it is missing); and DISPATCHER_STATE_DIR or DISPATCHER_CONFIG, which
// say where sessions are kept.
func Command(binary, scriptPath, session string, resume bool, askFor []string) []string {
	flag := FlagSession
	if resume {
		flag = FlagResume
	}
	argv := []string{binary, CommandName, "--" + flag, session}
	for _, rule := range askFor {
		argv = append(argv, "--"+FlagAskFor+"="+rule)
	}
	return append(argv, scriptPath)
}
