import type { EventSink } from '@rxlet/agent-api/events';
import type { Lifetime, Logger } from '@rxlet/component-base';
import type { EventLog } from '@rxlet/component-base/events';
import { follow } from '@rxlet/component-base/streams';
import { podUid } from '@rxlet/pod-model';
import type { StatusManager } from '@rxlet/status-manager';
import { measurePodStarts, type MeasurePodStartsPorts } from './measure-pod-starts.ts';
import type { PodView } from './pod-view.ts';

/** Ports of {@link connectOutputs}. */
export interface OutputPorts extends Pick<MeasurePodStartsPorts, 'startLatency' | 'config'> {
  readonly eventSinks: readonly EventSink[];
  readonly ports: { readonly events: Pick<EventLog, 'events$'>; readonly logger: Logger };
  readonly statusManager: Pick<StatusManager, 'status$'> & MeasurePodStartsPorts['statusManager'];
  readonly view: Pick<PodView, 'setStatus'>;
}

/** Passes statuses to the view of pods and to the measurement of pod starts, and events to the sinks of modules. */
export function connectOutputs(outputs: OutputPorts, lifetime: Lifetime): void {
  const { ports, statusManager, view, eventSinks } = outputs;
  const { events, logger } = ports;
  measurePodStarts({ ...outputs, logger }, lifetime);
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
