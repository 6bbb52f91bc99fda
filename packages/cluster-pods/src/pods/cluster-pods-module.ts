import { type AgentModule, contribute, syncTriggers } from '@rxlet/agent-api';
import { containerFields, supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podSources } from '@rxlet/agent-api/sources';
import { mirrorPods } from '@rxlet/agent-api/statuses';
import { nodeProblems } from '@rxlet/agent-api/journal';
import { kubeClients } from '@rxlet/agent-api/kube';
import type { ObjectChange } from '@rxlet/kube-api/client';
import { nodeObject } from '@rxlet/agent-api/node';
import { errorMessage } from '@rxlet/component-base';
import { createEmitter, follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { isMirrorPod, PodAnnotation, podFullName, podUid } from '@rxlet/pod-model';
import { filter, map, type Observable, Subscription } from 'rxjs';
import { createApiPodSource } from './api-pod-source.ts';
import { inBackground } from './background-mirror-pods.ts';
import { mirrorlessEndedPods } from './mirrorless-ended-pods.ts';
import { createMirrorPods } from './mirror-pods.ts';

/** Extended resources that an operator adds to the Node object: the scheduler counts them, and the node has nothing to do for them. */
const advertisedResources = containerFields('resources.limits.*', 'resources.requests.*');

/**
 * Creates the agent module that runs the pods which the API server has bound to this node, and shows static pods there as mirror pods. Add `apiStatuses()` to report
 * their statuses.
 */
export function clusterPods(): AgentModule {
  return {
    name: 'cluster-pods',
    needs: [kubeClients, nodeObject],
    setup({ services, core, node, clock, logger }) {
      const { main } = services.get(kubeClients);
      const nodeState = services.get(nodeObject);
      const watch = main.watch(resources.pods, {
        fieldSelector: `spec.nodeName=${node.name}`,
        // A list from before the last agent would end pods that run, and run those again that are gone.
        isFirstListCurrent: true,
      });
      const nodeKnown = async (signal: AbortSignal): Promise<void> => nodeState.whenSynced?.(signal);
      const isDesired = (pod: Pod): boolean => {
        const { metadata } = core.pods.get(podUid(pod)) ?? {};
        return metadata !== undefined && metadata.deletionTimestamp === undefined;
      };
      const mirrors = inBackground(createMirrorPods({ client: main, watch, node: nodeState, logger }), {
        clock,
        logger,
        isDesired,
      });
      const changedMirrors = createEmitter<string>();
      const subscriptions = new Subscription();
      subscriptions.add(
        follow(watch.changes$.pipe(mirrorChanges), {
          task: 'following mirror pods',
          logger,
          next(fullName) {
            const pod = core.pods.list().find((one) => podFullName(one) === fullName);
            if (pod !== undefined) changedMirrors.emit(podUid(pod));
          },
        }),
      );
      return {
        contributions: [
          contribute(supportedPodFields, ...advertisedResources),
          contribute(podSources, createApiPodSource({ watch, nodeKnown, logger })),
          contribute(nodeProblems, { part: 'api-server', problem: () => describeProblem(watch.problem) }),
          contribute(mirrorPods, mirrors),
          contribute(syncTriggers, changedMirrors.values$),
        ],
        start(signal) {
          subscriptions.add(
            follow(mirrorlessEndedPods({ watch, pods: core.pods, mirrorOf: mirrors.mirrorOf }), {
              task: 'creating mirror pods of static pods that have ended',
              logger,
              next: (pod) => void mirrors.reconcile(pod, signal),
            }),
          );
        },
        async [Symbol.asyncDispose]() {
          subscriptions.unsubscribe();
          changedMirrors.complete();
          await mirrors[Symbol.asyncDispose]();
          await watch[Symbol.asyncDispose]();
        },
      };
    },
  };
}

function describeProblem(problem: Error | undefined): string | undefined {
  return (
    problem &&
    `cannot watch the pods of this node, which keep running as they were last known: ${errorMessage(problem)}`
  );
}

/** Emits the full names of mirror pods that appear, disappear, or are about to be deleted: their static pods need a sync. */
function mirrorChanges(changes$: Observable<ObjectChange<Pod>>): Observable<string> {
  return changes$.pipe(
    map((change) => (change.type === 'snapshot' || !isRelevant(change) ? undefined : podFullName(change.object))),
    filter((fullName) => fullName !== undefined),
  );
}

function isRelevant(change: Exclude<ObjectChange<Pod>, { type: 'snapshot' }>): boolean {
  if (!isMirrorPod(change.object)) return false;
  if (change.type !== 'modified') return true;
  const [before, after] = [change.previous.metadata, change.object.metadata];
  return (
    before?.deletionTimestamp !== after?.deletionTimestamp ||
    before?.annotations?.[PodAnnotation.configMirror] !== after?.annotations?.[PodAnnotation.configMirror]
  );
}
