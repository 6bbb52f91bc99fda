import type { Event } from '@rxlet/kube-api';
import { lastSeen } from '../output/last-seen.ts';
import { AgentConnectionError } from '../commands/agent-connection.ts';
import type { ResourceKind } from './resource-kind.ts';

/** Events of the node and its pods, in the order in which they happened. */
export const events: ResourceKind<Event> = {
  apiVersion: 'v1',
  kind: 'Event',
  names: ['events', 'event', 'ev'],
  isNamespaced: true,
  path: '/events',
  isWatchable: true,
  columns: [
    { title: 'NAMESPACE', cell: ({ metadata }) => metadata.namespace ?? '' },
    { title: 'LAST SEEN', cell: (event, nowMs) => lastSeen(event, nowMs) },
    {
      title: 'TYPE',
      cell: ({ type = '' }) => (type === 'Warning' ? { text: type, tone: 'busy' } : type),
    },
    { title: 'REASON', cell: ({ reason = '' }) => reason },
    {
      title: 'OBJECT',
      cell: ({ involvedObject: { kind = '', name = '' } }) => `${kind.toLowerCase()}/${name}`,
    },
    { title: 'SUBOBJECT', isWide: true, cell: ({ involvedObject }) => involvedObject.fieldPath ?? '' },
    { title: 'MESSAGE', cell: ({ message = '' }) => message },
  ],
  objectsOf: (answer) => (answer as { readonly items: readonly Event[] }).items,
  fieldsOf: ({ metadata, involvedObject, type, reason, reportingComponent, source }) => ({
    'metadata.name': metadata.name ?? '',
    'metadata.namespace': metadata.namespace ?? '',
    'involvedObject.kind': involvedObject.kind ?? '',
    'involvedObject.namespace': involvedObject.namespace ?? '',
    'involvedObject.name': involvedObject.name ?? '',
    'involvedObject.uid': involvedObject.uid ?? '',
    'involvedObject.apiVersion': involvedObject.apiVersion ?? '',
    'involvedObject.fieldPath': involvedObject.fieldPath ?? '',
    reason: reason ?? '',
    reportingComponent: reportingComponent ?? '',
    source: source?.component ?? reportingComponent ?? '',
    type: type ?? '',
  }),
  select(objects, name, namespace) {
    const found = objects.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    if (found === undefined) throw new AgentConnectionError(`there is no event "${name}" in namespace "${namespace}"`);
    return found;
  },
};
