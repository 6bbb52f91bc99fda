import { matchesFields, parseFieldSelector, parseLabelSelector, SelectorError } from '@rxlet/kube-api/selectors';
import { UsageError } from '../config/config-error.ts';
import type { AgentObject, ResourceKind } from '../resources/resource-kind.ts';

/** Choice of objects, as kubectl's flags make it. */
export interface Selection {
  /** Only objects of this namespace. Default: of all. */
  readonly namespace?: string | undefined;
  /** Label selector (`-l`). */
  readonly selector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/**
 * Returns the test of a selection for objects of a kind.
 * @throws UsageError for a malformed selector, and for a field that cannot be selected by
 */
export function selectionTest<T extends AgentObject>(
  kind: ResourceKind<T>,
  { namespace, selector = '', fieldSelector = '' }: Selection,
): (object: T) => boolean {
  const [matchesLabels, fields] = parseSelectors(selector, fieldSelector);
  const supported = kind.fieldsOf({ metadata: {}, involvedObject: {} } as unknown as T);
  const unknown = fields.find(({ field }) => !Object.hasOwn(supported, field));
  if (unknown !== undefined)
    throw new UsageError(
      `field label not supported: ${unknown.field}; those of ${kind.names[0]} are ${Object.keys(supported).join(', ')}`,
    );
  return (object) =>
    (namespace === undefined || !kind.isNamespaced || object.metadata?.namespace === namespace) &&
    matchesLabels(object.metadata?.labels) &&
    (fields.length === 0 || matchesFields(fields, kind.fieldsOf(object)));
}

function parseSelectors(selector: string, fieldSelector: string) {
  try {
    return [parseLabelSelector(selector), parseFieldSelector(fieldSelector)] as const;
  } catch (error) {
    if (error instanceof SelectorError) throw new UsageError(error.message);
    throw error;
  }
}
