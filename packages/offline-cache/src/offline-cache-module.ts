import { generateKeySync } from 'node:crypto';
import { join } from 'node:path';
import { type AgentModule, provide } from '@rxlet/agent-api';
import { kubeClients } from '@rxlet/agent-api/kube';
import {
  isKubeError,
  type KubeClient,
  type KubeClients,
  type KubeObject,
  type WatchOptions,
} from '@rxlet/kube-api/client';
import type { Pod } from '@rxlet/kube-api';
import { type KubeResource, resources } from '@rxlet/kube-api/resources';
import { isTerminalPhase } from '@rxlet/pod-model';
import { createCacheFiles } from './cache-files.ts';
import { keptAs } from './kept-copy.ts';
import { createLastKnownObjects } from './last-known-objects.ts';
import { createLastKnownWatch } from './last-known-watch.ts';
import { createStartablePods } from './startable-pods.ts';

/** Options of {@link offlineCache}. */
export interface OfflineCacheOptions {
  /** Clients of the API server. They belong to the caller, who disposes of their connections after the agent. */
  readonly clients: KubeClients;
  /** Time after the start of the agent that the API server has for its first answer. Default: ten seconds. */
  readonly firstAnswerTimeoutMs?: number | undefined;
  /** Largest size of the cache on disk. Default: 32 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Time that the API server has for a single object once the node works without it. Readers of an object wait for a second. */
const OBJECT_TIMEOUT_MS = 500;

/**
 * Creates the agent module that connects the other modules with an API server, and keeps its last objects in `offline-cache` of the agent's root directory. When
 * the API server does not answer after a start, pods start from what was known before. Takes the place of `apiServer()`.
 */
export function offlineCache({
  clients,
  firstAnswerTimeoutMs: firstAnswerTimeoutMs = 10_000,
  maxBytes = 32 * 1024 * 1024,
}: OfflineCacheOptions): AgentModule {
  return {
    name: 'offline-cache',
    provides: [kubeClients],
    setup({ clock, files, logger, node }) {
      const directory = join(node.rootDirectory, 'offline-cache');
      const cacheFiles = createCacheFiles({ files, logger, secretBytes }, { directory, nodeName: node.name, maxBytes });
      const objects = createLastKnownObjects({
        files: cacheFiles,
        createStartablePods: (startable) =>
          createStartablePods(files, { directory: join(directory, 'startable-pods'), startable }),
        clock,
        logger,
      });
      const { main } = clients;
      let deadlineMs = 0;
      let isOffline = false;
      let hasAnswered = false;

      const reportOnce = (): void => {
        if (!isOffline) logger.warn('the API server does not answer, the node uses the last known pods and objects');
        isOffline = true;
      };
      const watch = <T extends KubeObject>(resource: KubeResource<T>, options: WatchOptions = {}) => {
        const inner = main.watch(resource, options);
        const kept = keptAs(resource);
        if (kept === undefined || options.labelSelector !== undefined) return inner;
        const selector = { plural: resource.plural, ...options };
        return createLastKnownWatch<T>(
          {
            watch: inner,
            clock,
            logger,
            record(found) {
              hasAnswered = true;
              objects.record(selector, found);
            },
            release: () => objects.release(selector),
            fallBack() {
              // The last known objects may be days old: they do not stand in for a slow answer or a rejection.
              if (hasAnswered && !isOutage(inner.problem)) return undefined;
              const known = objects.known(selector) as readonly T[] | undefined;
              if (known !== undefined) reportOnce();
              return known;
            },
          },
          { keptAs: kept, firstAnswerTimeoutMs: () => Math.max(deadlineMs - clock.monotonicNow(), OBJECT_TIMEOUT_MS) },
        );
      };

      // The end of a pod is recorded before it is reported, in case the agent is killed between the two.
      const patch: KubeClient['patch'] = async (resource, ref, patch, options) => {
        const body: Pod | undefined = resource.plural === resources.pods.plural ? (patch.body as Pod) : undefined;
        const uid = body?.metadata?.uid;
        if (uid !== undefined && isTerminalPhase(body?.status?.phase)) await objects.recordEnd(uid);
        return main.patch(resource, ref, patch, options);
      };
      const deleteObject: KubeClient['delete'] = async (resource, ref, options) => {
        const uid = options?.preconditions?.uid;
        if (uid !== undefined && resource.plural === resources.pods.plural) await objects.recordEnd(uid);
        await main.delete(resource, ref, options);
      };

      return {
        services: [provide(kubeClients, { ...clients, main: { ...main, watch, patch, delete: deleteObject } })],
        async start() {
          await objects.load();
          deadlineMs = clock.monotonicNow() + firstAnswerTimeoutMs;
        },
        [Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
      };
    },
  };
}

/** Reports whether a watch fails because the API server is unreachable or cannot serve anyone. */
function isOutage(problem: Error | undefined): boolean {
  return isKubeError(problem) && (problem.code === undefined || problem.code >= 500);
}

function secretBytes(length: number): Uint8Array {
  return generateKeySync('hmac', { length: 8 * length }).export();
}
