// A line editor made of libedit, whose functions Swift cannot call: they are variadic, and want the
// C globals for the standard streams.
//
// The library is loaded when an editor is first opened. Scripts do without it, so they should not
// pay for it at every start (0.3 ms and half a megabyte, as it brings three more), and the command
// should run where it is not installed.
#ifndef TENON_LIBEDIT_H
#define TENON_LIBEDIT_H

#include <dlfcn.h>
#include <histedit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// How many cells of a terminal a character takes; -1 for one that cannot be shown. The system's
// header declares it for programs alone that ask for X/Open.
static inline int tenon_cell_width(wchar_t character) {
  extern int wcwidth(wchar_t);
  return wcwidth(character);
}

// What an editor asks of its owner. Characters are Unicode scalars.
typedef struct {
  // The text before the line, ended by a 0.
  wchar_t *(*prompt)(EditLine *);
  // Reads a character: 1 when there is one, 0 at the end, -1 when the line is to be given up.
  int (*read)(EditLine *, wchar_t *);
  // Does what a key asks for, a character or one of the private keys; answers a CC_ constant.
  unsigned char (*key)(EditLine *, int);
} tenon_editor_hooks;

// The private keys: what the owner makes of the sequences that keys of a terminal send. They lie
// among the control characters that no keyboard has, and below 256, which is what libedit can bind.
#define TENON_FIRST_KEY 0x80
#define TENON_LAST_KEY 0x9E
// Ends the line, as Enter does where nothing else is bound to it.
#define TENON_END_KEY 0x9F

typedef struct {
  EditLine *line;
  HistoryW *history;
  __typeof__(&el_init) init;
  __typeof__(&el_end) end;
  __typeof__(&el_wset) set;
  __typeof__(&el_wgets) gets;
  __typeof__(&el_wline) info;
  __typeof__(&el_winsertstr) insert;
  __typeof__(&el_deletestr) delete;
  __typeof__(&el_cursor) move;
  __typeof__(&el_resize) resize;
  __typeof__(&el_source) source;
  __typeof__(&history_winit) history_init;
  __typeof__(&history_wend) history_end;
  __typeof__(&history_w) history_call;
} tenon_editor;

#if defined(__APPLE__)
#define TENON_LIBEDIT_NAME "libedit.3.dylib"
#else
#define TENON_LIBEDIT_NAME "libedit.so.2"
#endif

static inline bool tenon_editor_load(tenon_editor *editor) {
  void *library = dlopen(TENON_LIBEDIT_NAME, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return false;
#define TENON_FIND(field, name) \
  if ((editor->field = (__typeof__(editor->field))dlsym(library, #name)) == NULL) return false
  TENON_FIND(init, el_init);
  TENON_FIND(end, el_end);
  TENON_FIND(set, el_wset);
  TENON_FIND(gets, el_wgets);
  TENON_FIND(info, el_wline);
  TENON_FIND(insert, el_winsertstr);
  TENON_FIND(delete, el_deletestr);
  TENON_FIND(move, el_cursor);
  TENON_FIND(resize, el_resize);
  TENON_FIND(source, el_source);
  TENON_FIND(history_init, history_winit);
  TENON_FIND(history_end, history_wend);
  TENON_FIND(history_call, history_w);
#undef TENON_FIND
  return true;
}

// Binds a key to a function, in both maps of vi.
static inline void tenon_editor_bind(tenon_editor *editor, wchar_t key, const wchar_t *function,
                                     bool alternatives) {
  const wchar_t name[2] = {key, 0};
  editor->set(editor->line, EL_BIND, name, function, NULL);
  if (alternatives) editor->set(editor->line, EL_BIND, L"-a", name, function, NULL);
}

static inline void tenon_editor_bind_keys(tenon_editor *editor) {
  const wchar_t *function = L"tenon-key";
  for (wchar_t key = TENON_FIRST_KEY; key <= TENON_LAST_KEY; key++)
    tenon_editor_bind(editor, key, function, true);
  tenon_editor_bind(editor, TENON_END_KEY, L"ed-newline", true);
  tenon_editor_bind(editor, '\n', function, true);
  tenon_editor_bind(editor, '\r', function, true);
  // Completion, the end of the input, the ends of a line, the lines above and below, what deletes or
  // closes something, and what was deleted last.
  static const wchar_t keys[] = {'\t', 4, 1, 5, 14, 16, 8, 127, 11, 21, 23, 25, ')', ']', '}', 0};
  for (const wchar_t *key = keys; *key != 0; key++)
    tenon_editor_bind(editor, *key, function, false);
}

// Opens an editor on the standard streams. Returns false when there is no libedit, or when it
// cannot work with the terminal.
static inline bool tenon_editor_open(tenon_editor *editor, const char *program, int history_size,
                                     tenon_editor_hooks hooks) {
  if (!tenon_editor_load(editor)) return false;
  editor->line = editor->init(program, stdin, stdout, stderr);
  if (editor->line == NULL) return false;
  editor->history = editor->history_init();
  if (editor->history == NULL) {
    editor->end(editor->line);
    return false;
  }
  HistEventW event;
  editor->history_call(editor->history, &event, H_SETSIZE, history_size);
  editor->history_call(editor->history, &event, H_SETUNIQUE, 1);
  editor->set(editor->line, EL_HIST, editor->history_call, editor->history);
  editor->set(editor->line, EL_EDITOR, L"emacs");
  editor->set(editor->line, EL_PROMPT, hooks.prompt);
  editor->set(editor->line, EL_GETCFN, hooks.read);
  editor->set(editor->line, EL_ADDFN, L"tenon-key", L"Do what a key asks for", hooks.key);
  editor->set(editor->line, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
  // Before the keys are bound: the user's file may choose vi, which forgets all bindings.
  editor->source(editor->line, NULL);
  tenon_editor_bind_keys(editor);
  return true;
}

static inline void tenon_editor_close(tenon_editor *editor) {
  editor->history_end(editor->history);
  editor->end(editor->line);
}

// Reads a line, `count` characters, its end included. Returns NULL at the end of the input, with a
// count of 0, and when the line was given up.
static inline const wchar_t *tenon_editor_read(tenon_editor *editor, int *count) {
  return editor->gets(editor->line, count);
}

static inline void tenon_editor_remember(tenon_editor *editor, const wchar_t *line) {
  HistEventW event;
  editor->history_call(editor->history, &event, H_ENTER, line);
}

// The text as it is now: `count` characters, of which `cursor` stand before the cursor.
static inline const wchar_t *tenon_editor_text(tenon_editor *editor, ptrdiff_t *count,
                                               ptrdiff_t *cursor) {
  const LineInfoW *info = editor->info(editor->line);
  *count = info->lastchar - info->buffer;
  *cursor = info->cursor - info->buffer;
  return info->buffer;
}

// Deletes characters before the cursor.
static inline void tenon_editor_delete(tenon_editor *editor, int count) {
  editor->delete(editor->line, count);
}

// Moves the cursor by some characters, to the left when they are negative.
static inline void tenon_editor_move(tenon_editor *editor, int count) {
  editor->move(editor->line, count);
}

static inline bool tenon_editor_insert(tenon_editor *editor, const wchar_t *text) {
  return editor->insert(editor->line, text) == 0;
}

// Gives the terminal the state for editing, or back the one it had.
static inline void tenon_editor_prepare(tenon_editor *editor, bool edits) {
  editor->set(editor->line, EL_PREP_TERM, edits ? 1 : 0);
}

// Shows the line anew, in a window that may have another size.
static inline void tenon_editor_refresh(tenon_editor *editor, bool resizes) {
  if (resizes) editor->resize(editor->line);
  editor->set(editor->line, EL_REFRESH);
}

#endif
