package esds

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// What a source can say of an operation, for errors.Is.
var (
	ErrIndexNotFound = errors.New("index not found")
	ErrIndexExists   = errors.New("index exists already")
	ErrUnreachable   = errors.New("no connection")                               // DNS, TCP, reset, timeout
	ErrUntrusted     = errors.New("TLS certificate is not trusted")              // see es.net.ssl.*
	ErrUnauthorized  = errors.New("authentication failed")                       // 401
	ErrForbidden     = errors.New("not allowed")                                 // 403
	ErrLocked        = errors.New("the embedded lake is in use")                 // by another process
	ErrBlocked       = errors.New("writing is blocked")                          // by a setting, or since a disk is full
	ErrChanged       = errors.New("it was changed meanwhile")                    // by somebody else
	ErrReplaced      = errors.New("the index is another one now")                // deleted and made anew while it was written
	ErrReadLost      = errors.New("the cluster dropped the read before its end") // or lost its index; another read may succeed
	ErrOldGone       = errors.New("the old documents are gone")                  // by Replace, which did not come to its end
)

// Error is a request that a source refused or never answered.
type Error struct {
	Op     string // what was asked: "scan", "bulk", "create index"
	Index  string // "" when the request is about none
	Status int    // HTTP status, or 0 when no answer came
	Err    error  // the cause; wraps one of the Err… values where one fits
	Hint   string // what to do, "" for none

	After time.Duration // how long the server asked to wait before the next try; 0 when it did not say
}

// Error names the operation first and the cause last.
func (e *Error) Error() string {
	object := e.Op
	if e.Index != "" {
		object += " " + e.Index
	}
	if e.Status == 0 {
		return fmt.Sprintf("%s: %v", object, e.Err)
	}
	return fmt.Sprintf("%s: %v (status %d)", object, e.Err, e.Status)
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed later. It does not say
// that sending it again is safe: for that, a write carries its own ids.
func (e *Error) Retryable() bool {
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0:
		return errors.Is(e.Err, ErrUnreachable) && !errors.Is(e.Err, context.Canceled) && !errors.Is(e.Err, context.DeadlineExceeded)
	default:
		return false
	}
}

// ValueError is a value of a document that does not fit the type wanted of it.
type ValueError struct {
	Index, ID, Field string
	Value            string // as JSON, cut to a readable length
	Err              error
}

// Error names the document, the field and the value.
func (e *ValueError) Error() string {
	return fmt.Sprintf("index %s, document %s, field %s: %s: %v", e.Index, e.ID, e.Field, e.Value, e.Err)
}

func (e *ValueError) Unwrap() error { return e.Err }
