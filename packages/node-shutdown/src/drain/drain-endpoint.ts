import { EndpointError, type EndpointRequest, type HttpEndpoint } from '@rxlet/agent-api/http';
import { errorMessage } from '@rxlet/component-base';
import { parseGoDuration } from '@rxlet/component-base/go';
import type { NodeShutdown } from '../node-shutdown.ts';
import { type ShutdownGroup, shutdownGroups } from '../plan/shutdown-groups.ts';

const MIN_GRACE_MS = 2_000;

/**
 * Returns the endpoint `/drain` for the owner of the agent: GET returns the progress, POST begins a drain (`?grace=30s`) or ends it (`?cancel=true`). Critical pods have
 * the last third of the grace period.
 */
export function drainEndpoint(shutdown: Pick<NodeShutdown, 'drain' | 'cancelDrain' | 'drainStatus'>): HttpEndpoint {
  return {
    path: 'drain',
    methods: ['GET', 'POST'],
    produces: 'application/json',
    isLocal: true,
    async handle(request) {
      if (request.method === 'POST') await change(shutdown, request);
      return { contentType: 'application/json', body: JSON.stringify(shutdown.drainStatus()) };
    },
  };
}

async function change(
  shutdown: Pick<NodeShutdown, 'drain' | 'cancelDrain'>,
  { parameters }: EndpointRequest,
): Promise<void> {
  if (parameters.get('cancel') === 'true') return shutdown.cancelDrain();
  const grace = parameters.get('grace');
  const groups = grace === null ? undefined : parseGrace(grace);
  try {
    await shutdown.drain(groups);
  } catch (error) {
    throw new EndpointError(409, errorMessage(error));
  }
}

/** Returns the groups of a grace period for all pods. @throws EndpointError 400 */
function parseGrace(text: string): readonly ShutdownGroup[] {
  const allPodsMs = parseGoDuration(text);
  if (allPodsMs === undefined || allPodsMs < MIN_GRACE_MS)
    throw new EndpointError(400, `the grace period "${text}" is not a duration of two seconds or more, such as 30s`);
  const criticalPodsMs = Math.max(1, Math.floor(allPodsMs / 3000)) * 1000;
  return shutdownGroups({ allPodsMs, criticalPodsMs });
}
