/** A word before expansion: literal text, variables, `$(…)` and `$((…))`. Quoted parts are not split at blanks. */
export type WordPart =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  /** `$NAME`, `${NAME}`; with `fallback` `${NAME:-fallback}`. */
  | { readonly kind: 'variable'; readonly name: string; readonly quoted: boolean; readonly fallback?: string }
  | { readonly kind: 'substitution'; readonly list: CommandList; readonly quoted: boolean }
  | { readonly kind: 'arithmetic'; readonly expression: string; readonly quoted: boolean };

export type Word = readonly WordPart[];

/** `2>&1`, `>file`, `2>>file`, `<file`. */
export type Redirect =
  | { readonly kind: 'copy'; readonly from: 'stdout' | 'stderr'; readonly of: 'stdout' | 'stderr' }
  | { readonly kind: 'write'; readonly from: 'stdout' | 'stderr'; readonly path: Word; readonly append: boolean }
  | { readonly kind: 'read'; readonly path: Word };

/** `A=1 echo hi >&2`; words may be missing. */
export interface SimpleCommand {
  readonly kind: 'simple';
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

/** `while true; do …; done`, or the same with `until`. */
export interface LoopCommand {
  readonly kind: 'loop';
  /** Status of the condition that continues the loop: success for `while`, failure for `until`. */
  readonly continuesOn: 'success' | 'failure';
  readonly condition: CommandList;
  readonly body: CommandList;
  readonly redirects: readonly Redirect[];
}

/** `for x in a b; do …; done` */
export interface ForCommand {
  readonly kind: 'for';
  readonly name: string;
  readonly words: readonly Word[];
  readonly body: CommandList;
  readonly redirects: readonly Redirect[];
}

/** `if …; then …; elif …; then …; else …; fi` */
export interface IfCommand {
  readonly kind: 'if';
  readonly branches: readonly { readonly condition: CommandList; readonly body: CommandList }[];
  readonly otherwise: CommandList;
  readonly redirects: readonly Redirect[];
}

/** `{ …; }`, or `( … )`, which cannot change the shell around it. */
export interface GroupCommand {
  readonly kind: 'group';
  readonly subshell: boolean;
  readonly body: CommandList;
  readonly redirects: readonly Redirect[];
}

export type Command = SimpleCommand | LoopCommand | ForCommand | IfCommand | GroupCommand;

/** `! a | b` */
export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly [Command, ...Command[]];
}

/** Pipelines joined by `&&` and `||`, which bind equally and from the left. With `&` at the end they run in the background. */
export interface AndOr {
  readonly first: Pipeline;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[];
  readonly background: boolean;
}

/** Commands one after another, whatever their status. A script is one. */
export type CommandList = readonly AndOr[];

/** Error of a script that is invalid in any shell: a real one prints the message and exits with 2. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError';
}

/** Reports whether a script with this error may become valid by further lines. */
export function isIncomplete({ message }: ShellSyntaxError): boolean {
  return message.startsWith('unterminated') || message.startsWith('unexpected end of file');
}

/** Error of a script that uses syntax beyond this subset of the shell. */
export class ShellUnsupportedError extends Error {
  override readonly name = 'ShellUnsupportedError';

  constructor(what: string) {
    super(`the built-in shell does not support ${what}`);
  }
}
