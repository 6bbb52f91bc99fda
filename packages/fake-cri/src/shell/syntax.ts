/** A word before expansion: literal text and variables. What is quoted is not split at blanks. */
export type WordPart =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'variable'; readonly name: string; readonly quoted: boolean };

export type Word = readonly WordPart[];

/** Where a redirection leads: one of the two outputs, or nowhere (`/dev/null`). */
export type RedirectTarget = 'stdout' | 'stderr' | 'null';

/** `1>&2`, `2>/dev/null` and their like. */
export interface Redirect {
  readonly from: 'stdout' | 'stderr';
  readonly to: RedirectTarget;
}

/** `echo hi >&2` */
export interface SimpleCommand {
  readonly kind: 'simple';
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

/** `while true; do …; done`, or the same with `until`. */
export interface LoopCommand {
  readonly kind: 'loop';
  /** The status of the condition with which the loop goes on: success for `while`, failure for `until`. */
  readonly continuesOn: 'success' | 'failure';
  readonly condition: CommandList;
  readonly body: CommandList;
  readonly redirects: readonly Redirect[];
}

export type Command = SimpleCommand | LoopCommand;

/** Commands joined by `&&` and `||`, which bind equally and from the left. */
export interface AndOr {
  readonly first: Command;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly command: Command }[];
}

/** Commands one after another, whatever their status. A script is one. */
export type CommandList = readonly AndOr[];

/** The script is not valid in any shell: a real one prints the message and exits with 2. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError';
}

/** The script uses something that this subset of the shell lacks. */
export class ShellUnsupportedError extends Error {
  override readonly name = 'ShellUnsupportedError';

  constructor(what: string) {
    super(`the built-in shell does not support ${what}`);
  }
}
