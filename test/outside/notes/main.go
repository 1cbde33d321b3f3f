// Judges a pack of a log with Go's note and tlog alone: each checkpoint is signed by the log's key, has the root of the
// pack's first events, and continues the one before; the newest one has each event.
//
//	go run -mod=mod . ../../../docs/vectors/pack.ndjson
//
// Written against golang.org/x/mod v0.37.0. The machine on which it was written has no Go, so it was not run there.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type line struct {
	Evidence  string `json:"evidence"`
	Key       string `json:"key"`
	Note      string `json:"note"`
	EventHash string `json:"event_hash"`
}

func main() {
	if err := judge(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL", err)
		os.Exit(1)
	}
}

func judge(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var key string
	var notes []string
	var leaves [][]byte
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var one line
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return err
		}
		switch {
		case one.Evidence == "key":
			key = one.Key
		case one.Evidence == "checkpoint":
			notes = append(notes, one.Note)
		case one.EventHash != "":
			leaf, err := hex.DecodeString(one.EventHash)
			if err != nil {
				return err
			}
			leaves = append(leaves, leaf)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return judgeNotes(key, notes, leaves)
}

func judgeNotes(key string, notes []string, leaves [][]byte) error {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return err
	}
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			found[i] = stored[index]
		}
		return found, nil
	})
	for n, leaf := range leaves {
		hashes, err := tlog.StoredHashes(int64(n), leaf, reader)
		if err != nil {
			return err
		}
		stored = append(stored, hashes...)
	}
	var last int64
	var lastRoot tlog.Hash
	for _, text := range notes {
		opened, err := note.Open([]byte(text), note.VerifierList(verifier))
		if err != nil {
			return err
		}
		size, root, err := headIn(opened.Text, verifier.Name())
		if err != nil {
			return err
		}
		if size < 1 || size > int64(len(leaves)) {
			return fmt.Errorf("a checkpoint of %d events in a pack of %d", size, len(leaves))
		}
		built, err := tlog.TreeHash(size, reader)
		if err != nil {
			return err
		}
		if built != root {
			return fmt.Errorf("the checkpoint of %d events has another root than the events", size)
		}
		if last > 0 {
			proof, err := tlog.ProveTree(size, last, reader)
			if err != nil {
				return err
			}
			if err := tlog.CheckTree(proof, size, root, last, lastRoot); err != nil {
				return fmt.Errorf("%d events do not continue %d: %v", size, last, err)
			}
		}
		last, lastRoot = size, root
	}
	if last == 0 {
		return fmt.Errorf("the pack has no checkpoint")
	}
	for n := int64(0); n < last; n++ {
		proof, err := tlog.ProveRecord(last, n, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(proof, last, lastRoot, n, tlog.RecordHash(leaves[n])); err != nil {
			return fmt.Errorf("event %d is not in the tree: %v", n+1, err)
		}
	}
	fmt.Printf("ok %d checkpoints %d events\n", len(notes), last)
	return nil
}

// headIn reads a checkpoint's text: origin, size and root, a line each.
func headIn(text, origin string) (int64, tlog.Hash, error) {
	var root tlog.Hash
	parts := strings.Split(text, "\n")
	if len(parts) < 4 || parts[0] != origin {
		return 0, root, fmt.Errorf("the checkpoint is not one of %s", origin)
	}
	size, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0, root, err
	}
	bytes, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(bytes) != tlog.HashSize {
		return 0, root, fmt.Errorf("the checkpoint's root is not a hash")
	}
	copy(root[:], bytes)
	return size, root, nil
}
