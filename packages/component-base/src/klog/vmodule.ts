/** A verbosity for the loggers whose name matches. */
export interface VerbosityPattern {
  /** Exact name, or a pattern with `*`, `?` and `[…]`. */
  readonly filePattern?: string;
  readonly verbosity?: number;
}

/** Returns a function that returns the verbosity of the first pattern that matches a name; 0 when none does. Parts of a name that dots separate match by themselves as well. */
export function verbosityByName(patterns: readonly VerbosityPattern[]): (name: string) => number {
  const matchers = patterns.map(({ filePattern = '', verbosity = 0 }) => ({ matches: globOf(filePattern), verbosity }));
  return (name) => {
    const names = [name, ...(name.includes('.') ? name.split('.') : [])];
    return matchers.find(({ matches }) => names.some((each) => matches.test(each)))?.verbosity ?? 0;
  };
}

/** Returns the expression of a pattern of Go's `filepath.Match`. A malformed one matches nothing. */
function globOf(pattern: string): RegExp {
  const source = pattern.replaceAll(
    /\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|[*?]|[^*?]/gsu,
    (token, escaped, negation, set) => {
      if (escaped !== undefined) return literal(String(escaped));
      if (set !== undefined) return `[${String(negation)}${String(set).replaceAll(/[[\]^]/g, String.raw`\$&`)}]`;
      if (token === '[') return '(?!)';
      if (token === '*') return '[^/]*';
      return token === '?' ? '[^/]' : literal(token);
    },
  );
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    return /(?!)/;
  }
}

function literal(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
}
