/** A fenced block of a Markdown file. */
export interface ReadmeBlock {
  /** Info string of the fence, e.g. `ts`. */
  readonly language: string;
  readonly code: string;
  /** Line of the block, counted from 1. */
  readonly line: number;
  /** Expected output: the lines of a `text` block that directly follows, apart from empty lines. */
  readonly output: readonly string[];
}

/** Returns the fenced blocks of a Markdown text, in their order. */
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

/** Returns the `ts` blocks after `@example` in the docstrings of a source. */
export function readDocstringExamples(source: string): ReadmeBlock[] {
  return [...source.matchAll(/^ *\/\*\*$[^]*?^ *\*\/$/gm)].flatMap(({ 0: docstring, index }) => {
    const firstLine = source.slice(0, index).split('\n').length;
    const start = docstring.indexOf('@example');
    if (start < 0) return [];
    const text = docstring.replaceAll(/^ *\* ?/gm, '');
    const skipped = docstring.slice(0, start).split('\n').length - 1;
    const blocks = readBlocks(text.split('\n').slice(skipped).join('\n'));
    return blocks.map((block) => ({ ...block, line: firstLine + skipped + block.line - 1 }));
  });
}

/** Returns the simple commands of a shell text, each as its words, without prompts, comments, assignments, `sudo` and `npx`. */
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
 * Returns the first expected line that differs from the output; `undefined` when the output is as expected. Empty lines and spaces at the
 * ends of lines do not count; `…` in an expected line stands for anything.
 */
export function firstDifference(expected: readonly string[], printed: readonly string[]): string | undefined {
  const lines = printed.map((line) => line.trim()).filter((line) => line !== '');
  const wanted = expected.map((line) => line.trim());
  const different = wanted.find((line, index) => !matches(lines[index], line));
  if (different !== undefined) return different;
  return lines.length > wanted.length ? `(nothing after line ${String(wanted.length)})` : undefined;
}

function matches(printed: string | undefined, expected: string): boolean {
  const pattern = expected
    .split('…')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  return printed !== undefined && new RegExp(`^${pattern}$`).test(printed);
}

/** Returns the names of the packages that `npm install` commands of a README install, without versions. */
export function installedPackages(blocks: readonly ReadmeBlock[]): string[] {
  return blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => readCommands(code))
    .filter(([program, command = '']) => program === 'npm' && ['i', 'install'].includes(command))
    .flatMap(([, , ...words]) => words.filter((word) => !word.startsWith('-')))
    .map((word) => word.replace(/(?<=.)@[^@/]*$/, ''));
}
