package control

import (
	"net"
	"sync"
)

// Version is the version of the control API. It grows when an old client would
// misunderstand a new loop; fields that come new do not count.
const Version = 1

// versionHeader is where a client says which version it speaks.
const versionHeader = "Dispatcher-Api"

// hello is what the root answers.
type hello struct {
	API int `json:"api"`
}

// boundedListener lets so many clients in at once; the next one waits at the
// door until one has left.
type boundedListener struct {
	net.Listener
	free chan struct{}
	done chan struct{}
	once sync.Once
}

func bounded(l net.Listener) net.Listener {
	return &boundedListener{Listener: l, free: make(chan struct{}, maxClients), done: make(chan struct{})}
}

func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &boundedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.free })}, nil
}

func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type boundedConn struct {
	net.Conn
	leave func()
}

func (c *boundedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
