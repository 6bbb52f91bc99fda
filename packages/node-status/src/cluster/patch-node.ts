import type { Node } from '@rxlet/kube-api';
import { type JsonObject, sameValue, strategicDiff } from '@rxlet/kube-api/strategic-merge';
import { findTypeName } from '@rxlet/kube-api/tables';

/**
 * Returns the strategic merge patch of metadata and status that turns a Node object into another one; `undefined` when they are equal. The spec is not part of it:
 * others own it.
 */
export function nodeStatusPatch(before: Node, after: Node): object | undefined {
  const addresses = after.status?.addresses ?? [];
  const shape = { type: 'object-ref', ref: findTypeName('v1', 'Node')! } as const;
  const patch = strategicDiff(comparable(before), comparable(after), shape);
  if (sameValue(before.status?.addresses, addresses)) return patch;
  // Addresses merge by their type, of which a node with two families has two: the list is replaced.
  const status = { ...(patch?.['status'] as JsonObject | undefined), addresses: [{ $patch: 'replace' }, ...addresses] };
  return { ...patch, status };
}

function comparable({ metadata, status }: Node): JsonObject {
  const { addresses: _addresses, ...rest } = status ?? {};
  return { metadata, status: rest };
}
