import type { StoredObject } from '../api-object.ts';
import type { ObjectRequest } from '../request/parse-request.ts';
import { fieldMatcher } from './field-selector.ts';
import { parseLabelSelector } from './parse-selectors.ts';

/** Returns the test of namespace, field selector and label selector of a request. */
export function selectObjects(
  request: Pick<ObjectRequest, 'type' | 'namespace' | 'fieldRequirements' | 'query'>,
): (object: StoredObject) => boolean {
  const { type, namespace, fieldRequirements, query } = request;
  const matchesFields = fieldMatcher(type, fieldRequirements);
  const matchesLabels = parseLabelSelector(query.get('labelSelector') ?? '');
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    matchesFields(object) &&
    matchesLabels(object.metadata.labels);
}
