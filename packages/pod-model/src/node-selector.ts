import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@rxlet/kube-api';
import { isLabelValue, isQualifiedName } from './label-syntax.ts';

type Labels = Readonly<Record<string, string>>;

/** Reports whether a node matches one of the terms. A node without a name matches all fields. */
export function matchesNodeSelector(
  { nodeSelectorTerms }: NodeSelector,
  { metadata }: Pick<Node, 'metadata'>,
): boolean {
  return nodeSelectorTerms.some((term) => matchesTerm(term, metadata?.name ?? '', metadata?.labels ?? {}));
}

/** A term without requirements, and one with a malformed requirement, match no node. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  name: string,
  labels: Labels,
): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  if (!matchExpressions.every(isWellFormed) || !matchFields.every(isWellFormedField)) return false;
  return (
    matchExpressions.every((requirement) => matchesLabel(requirement, labels)) &&
    (name === '' || matchFields.every((requirement) => matchesField(requirement, name)))
  );
}

function isWellFormed({ key, operator, values = [] }: NodeSelectorRequirement): boolean {
  if (!isQualifiedName(key) || !values.every(isLabelValue)) return false;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0;
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0;
    case 'Gt':
    case 'Lt':
      return values.length === 1 && toInt64(values[0]) !== undefined;
    default:
      return false;
  }
}

function matchesLabel({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  const value = labelValue(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const number = toInt64(value);
      const bound = toInt64(values[0]);
      if (number === undefined || bound === undefined) return false;
      return operator === 'Gt' ? number > bound : number < bound;
    }
    default:
      return false;
  }
}

function isWellFormedField({ operator, values = [] }: NodeSelectorRequirement): boolean {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1;
}

/** A node has one field that can be selected; any other is empty. */
function matchesField({ key, operator, values = [] }: NodeSelectorRequirement, nodeName: string): boolean {
  const isEqual = values[0] === (key === 'metadata.name' ? nodeName : '');
  return operator === 'In' ? isEqual : !isEqual;
}

/** Returns the value of a label, never an inherited property. */
export function labelValue(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function toInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]{1,64}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
