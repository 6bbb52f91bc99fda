import { toRfc3339 } from '@rxlet/component-base';
import type { RecordedEvent } from '@rxlet/component-base/events';
import type { Event } from '@rxlet/kube-api';

/** Reporter of events. */
export interface EventReporter {
  /** Name of the reporting program, such as `kubelet`. */
  readonly component: string;
  readonly nodeName: string;
}

/** Namespace of events about objects that are in none, such as nodes. */
const DEFAULT_NAMESPACE = 'default';
/** Fields that clients in Go send without a value. */
const UNSET: object = { eventTime: null };

/** Returns the Event object of a recorded event. `suffix` distinguishes the events of an object. */
export function toApiEvent(event: RecordedEvent, suffix: string, { component, nodeName }: EventReporter): Event {
  const { object, type, reason, message, annotations, count, firstMs, lastMs } = event;
  const namespace = object.namespace ?? DEFAULT_NAMESPACE;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${object.name}.${suffix}`, namespace, ...(annotations && { annotations }) },
    involvedObject: { ...object },
    type,
    reason,
    message,
    count,
    ...UNSET,
    firstTimestamp: toRfc3339(firstMs),
    lastTimestamp: toRfc3339(lastMs),
    source: { component, host: nodeName },
    reportingComponent: component,
    reportingInstance: nodeName,
  };
}

/** Returns the patch that makes an Event object that of a later occurrence. */
export function eventPatch({ count, lastMs, message }: RecordedEvent): object {
  return { count, lastTimestamp: toRfc3339(lastMs), message };
}

/** Identifies an event over its occurrences: those of one key are shown as one object. */
export function eventKey({ object, type, reason, message, combined }: RecordedEvent): string {
  const { apiVersion, kind, namespace, name, uid, fieldPath } = object;
  const about = [apiVersion, kind, namespace, name, uid, type, reason];
  return JSON.stringify(combined === true ? about : [...about, fieldPath, message]);
}
