package esds

import "context"

type noticeKey struct{}

// WithNotice returns a context in which a source tells a person what an answer
// leaves out: types that it does not know, digits that it drops. Tell is called by
// several goroutines, and may get a text again.
func WithNotice(ctx context.Context, tell func(text string)) context.Context {
	return context.WithValue(ctx, noticeKey{}, tell)
}

// Notice tells a text to whom the context names, nobody when it names none.
func Notice(ctx context.Context, text string) {
	if tell, ok := ctx.Value(noticeKey{}).(func(string)); ok {
		tell(text)
	}
}
