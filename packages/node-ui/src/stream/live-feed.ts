import type { AgentCore } from '@rxlet/agent-api';
import type { PodSourceProblem } from '@rxlet/agent-api/sources';
import type { Logger } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { Subscription } from 'rxjs';
import { type ChangeLog, createChangeLog } from './change-log.ts';
import { eventKey, eventRow } from './event-row.ts';
import type { StreamChange, StreamKind } from './messages.ts';
import { podRow } from './pod-row.ts';

/** Events that readers get, the latest ones. */
const MAX_EVENTS = 500;

/** Parts of the agent that the page shows. */
export interface FeedPorts {
  readonly core: Pick<AgentCore, 'events' | 'pods' | 'sourceProblems'>;
  readonly logger: Logger;
}

/** Everything that the page shows, as it changes. Disposing of it ends its subscriptions. */
export interface LiveFeed extends Disposable {
  readonly log: ChangeLog<StreamChange>;
}

/** Subscribes to everything that the page shows. `epoch` identifies this feed. */
export function openLiveFeed({ core, logger }: FeedPorts, epoch: string): LiveFeed {
  const log = createChangeLog<StreamChange>(epoch);
  const subscriptions = new Subscription();
  const setPod = (pod: Pod): void => {
    const key = pod.metadata?.uid ?? '';
    log.set(`pod ${key}`, { kind: 'pod', key, value: podRow(pod, problemOf(core.sourceProblems.value, key)) });
  };
  const eventKeys = new Set<string>();
  const setEvent = (event: Parameters<typeof eventRow>[0]): void => {
    const key = eventKey(event);
    log.set(`event ${key}`, { kind: 'event', key, value: eventRow(event) });
    eventKeys.delete(key);
    eventKeys.add(key);
    if (eventKeys.size <= MAX_EVENTS) return;
    const [oldest = ''] = eventKeys;
    eventKeys.delete(oldest);
    log.remove(`event ${oldest}`);
  };
  for (const pod of core.pods.list()) setPod(pod);
  for (const event of core.events.list().slice(-MAX_EVENTS)) setEvent(event);
  subscriptions.add(
    follow(core.pods.changes$, {
      task: 'showing a pod',
      logger,
      next({ type, pod }) {
        if (type === 'DELETED') log.remove(`pod ${pod.metadata?.uid ?? ''}`);
        else setPod(pod);
      },
    }),
  );
  subscriptions.add(follow(core.events.events$, { task: 'showing an event', logger, next: setEvent }));
  let shown = core.sourceProblems.value;
  subscriptions.add(
    follow(core.sourceProblems.value$, {
      task: 'showing a problem of a pod source',
      logger,
      next(problems) {
        const uids = new Set([...shown, ...problems].flatMap(({ pod }) => pod?.uid ?? []));
        shown = problems;
        for (const uid of uids) {
          const pod = core.pods.get(uid);
          if (pod !== undefined) setPod(pod);
        }
      },
    }),
  );
  return {
    log,
    [Symbol.dispose]() {
      subscriptions.unsubscribe();
      log.close();
    },
  };
}

/** Returns the change that removes the object of a key of the feed's log. */
export function removed(logKey: string): StreamChange {
  const space = logKey.indexOf(' ');
  return { kind: logKey.slice(0, space) as StreamKind, key: logKey.slice(space + 1), value: null };
}

function problemOf(problems: readonly PodSourceProblem[], uid: string): string | undefined {
  return problems.find(({ pod }) => pod?.uid === uid)?.message;
}
