import type { EventSink } from '@rxlet/agent-api/events';
import type { Lifetime, Logger } from '@rxlet/component-base';
import type { EventLog } from '@rxlet/component-base/events';
import { follow } from '@rxlet/component-base/streams';
import { podUid } from '@rxlet/pod-model';
import type { StatusManager } from '@rxlet/status-manager';
import type { PodView } from './pod-view.ts';

/** Ports of {@link connectOutputs}. */
export interface OutputPorts {
  readonly logger: Logger;
  readonly events: Pick<EventLog, 'events$'>;
  readonly eventSinks: readonly EventSink[];
  readonly statusManager: Pick<StatusManager, 'status$'>;
  readonly view: Pick<PodView, 'setStatus'>;
}

/** Passes statuses to the view of pods, and events to the sinks of modules. */
export function connectOutputs(
  { logger, events, eventSinks, statusManager, view }: OutputPorts,
  lifetime: Lifetime,
): void {
  const subscriptions = [
    follow(statusManager.status$, {
      task: 'showing a pod status',
      logger,
      next: ({ pod, status }) => view.setStatus(podUid(pod), status),
    }),
    ...eventSinks.map((sink) => follow(events.events$, { task: 'passing an event to a sink', logger, next: sink })),
  ];
  lifetime.defer(() => subscriptions.forEach((subscription) => subscription.unsubscribe()));
}
