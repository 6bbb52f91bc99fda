/** A fenced block of a Markdown file. */
export interface ReadmeBlock {
  /** What stands behind the fence, e.g. `ts`. */
  readonly language: string;
  readonly code: string;
  /** Where the block begins, counted from 1. */
  readonly line: number;
  /** The lines of a `text` block that follows with nothing but empty lines between: what the code prints. */
  readonly output: readonly string[];
}

/** The fenced blocks of a Markdown text, in their order. */
export function readBlocks(markdown: string): ReadmeBlock[] {
  const blocks: { language: string; lines: string[]; line: number; end: number }[] = [];
  let open: (typeof blocks)[number] | undefined;
  const lines = markdown.split('\n');
  for (const [index, line] of lines.entries()) {
    const fence = /^```(\S*)/.exec(line);
    if (fence === null) {
      open?.lines.push(line);
    } else if (open === undefined) {
      open = { language: fence[1]!, lines: [], line: index + 1, end: 0 };
    } else {
      blocks.push({ ...open, end: index });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`the block that begins in line ${String(open.line)} has no end`);
  return blocks.map(({ language, lines: code, line, end }, index) => {
    const next = blocks[index + 1];
    const follows =
      next?.language === 'text' && lines.slice(end + 1, next.line - 1).every((between) => between.trim() === '');
    return {
      language,
      code: code.join('\n'),
      line,
      output: follows ? next.lines.filter((text) => text.trim() !== '') : [],
    };
  });
}

/** The simple commands of a shell text, each as its words, without prompts, comments, assignments, `sudo` and `npx`. */
export function readCommands(shell: string): string[][] {
  const commands: string[][] = [];
  let command: string[] = [];
  const end = (): void => {
    while (/^\w+=/.test(command[0] ?? '') || ['sudo', 'npx'].includes(command[0] ?? '')) command.shift();
    if (command.length > 0) commands.push(command);
    command = [];
  };
  for (const line of shell.replaceAll('\\\n', ' ').split('\n')) {
    for (const word of line.replace(/^\s*\$ /, '').match(/(?:"[^"]*"|'[^']*'|[^\s"';|&])+|[;|&]+/g) ?? []) {
      if (word.startsWith('#')) break;
      if (/^[;|&]/.test(word)) end();
      else command.push(word);
    }
    end();
  }
  return commands;
}

/**
 * The first of `expected` that does not appear in `printed` after those before it, or `undefined` when all do. A line appears when it is part of a
 * printed one; `…` in it stands for anything.
 */
export function firstMissing(expected: readonly string[], printed: readonly string[]): string | undefined {
  let from = 0;
  for (const line of expected) {
    const at = printed.findIndex((text, index) => index >= from && appearsIn(text, line.trim().split('…')));
    if (at < 0) return line;
    from = at + 1;
  }
  return undefined;
}

function appearsIn(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
