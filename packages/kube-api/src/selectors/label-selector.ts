import { SelectorError } from './selector-error.ts';

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

const NAME = String.raw`[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?`;
const EQUALITY = new RegExp(String.raw`^(${NAME})\s*(==|=|!=)\s*(${NAME})?$`);
const SET = new RegExp(String.raw`^(${NAME})\s+(in|notin)\s*\(([^()]*)\)$`);
const EXISTENCE = new RegExp(String.raw`^(!?)\s*(${NAME})$`);

/** Parses a label selector, equality-based or set-based. @throws SelectorError when it is malformed */
export function parseLabelSelector(selector: string): (labels: Labels | undefined) => boolean {
  // Commas separate requirements, except those within parentheses.
  const parts = selector.split(/,(?![^()]*\))/).map((part) => part.trim());
  const requirements = selector.trim() === '' ? [] : parts.map((part) => parseRequirement(part, selector));
  return (labels = {}) => requirements.every((matches) => matches(labels));
}

function parseRequirement(part: string, selector: string): Requirement {
  const equality = EQUALITY.exec(part);
  if (equality) {
    const [, key = '', operator, value = ''] = equality;
    return operator === '!=' ? (labels) => valueOf(labels, key) !== value : (labels) => valueOf(labels, key) === value;
  }
  const set = SET.exec(part);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    const isIn: Requirement = (labels) => values.includes(valueOf(labels, key) ?? '\0');
    return operator === 'in' ? isIn : (labels) => !isIn(labels);
  }
  const existence = EXISTENCE.exec(part);
  if (existence) {
    const [, not, key = ''] = existence;
    return (labels) => (valueOf(labels, key) === undefined) === (not === '!');
  }
  throw new SelectorError(`unable to parse requirement: ${JSON.stringify(part)} in "${selector}"`);
}

function valueOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
