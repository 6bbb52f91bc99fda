/**
 * Returns the value of `$((expression))`: whole numbers, names of variables (with or without `$`; unset ones are 0), `+ - * / %`, comparisons, `&& || !` and
 * parentheses, with the precedence of C. Throws a RangeError for division by zero and a SyntaxError for anything else.
 */
export function evaluateArithmetic(expression: string, lookup: (name: string) => string | undefined): number {
  const tokens = expression.match(/\d+|\$?[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}|[<>=!]=|&&|\|\||[-+*/%<>!()]|\S/g) ?? [];
  let at = 0;

  const fail = (): never => {
    throw new SyntaxError('arithmetic syntax error');
  };
  const primary = (): number => {
    const token = tokens[at++] ?? fail();
    if (token === '-') return -primary();
    if (token === '+') return primary();
    if (token === '!') return Number(primary() === 0);
    if (token === '(') {
      const value = binary(0);
      if (tokens[at++] !== ')') fail();
      return value;
    }
    if (/^\d/.test(token)) return Number(token);
    if (!/^[$A-Za-z_]\{?\w*\}?$/.test(token)) fail();
    const value = Number(lookup(token.replace(/[${}]/g, '')) ?? 0);
    return Number.isInteger(value) ? value : fail();
  };
  const binary = (level: number): number => {
    const operators = LEVELS[level];
    if (operators === undefined) return primary();
    let value = binary(level + 1);
    for (let apply = operators.get(tokens[at] ?? ''); apply !== undefined; apply = operators.get(tokens[at] ?? '')) {
      at += 1;
      value = apply(value, binary(level + 1));
    }
    return value;
  };

  if (tokens.length === 0) return 0;
  const value = binary(0);
  return at < tokens.length ? fail() : value;
}

type Operator = (a: number, b: number) => number;

/** The binary operators, the weakest first. */
const LEVELS: readonly ReadonlyMap<string, Operator>[] = [
  new Map([['||', (a, b) => Number(a !== 0 || b !== 0)]]),
  new Map([['&&', (a, b) => Number(a !== 0 && b !== 0)]]),
  new Map<string, Operator>([
    ['==', (a, b) => Number(a === b)],
    ['!=', (a, b) => Number(a !== b)],
  ]),
  new Map<string, Operator>([
    ['<', (a, b) => Number(a < b)],
    ['>', (a, b) => Number(a > b)],
    ['<=', (a, b) => Number(a <= b)],
    ['>=', (a, b) => Number(a >= b)],
  ]),
  new Map<string, Operator>([
    ['+', (a, b) => a + b],
    ['-', (a, b) => a - b],
  ]),
  new Map<string, Operator>([
    ['*', (a, b) => a * b],
    ['/', (a, b) => Math.trunc(a / nonZero(b))],
    ['%', (a, b) => a % nonZero(b)],
  ]),
];

function nonZero(divisor: number): number {
  if (divisor === 0) throw new RangeError('divide by zero');
  return divisor;
}
