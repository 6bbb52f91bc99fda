import type { PodStatus } from '@rxlet/kube-api';
import type { ApiRequest } from './recording.ts';

/** Limit of a cgroup without one, as cgroup v1 shows it. */
const NO_LIMIT = '9007199254740988Ki';

/**
 * Returns a kubelet's requests without those that only show a defect of it: on cgroup v1, it reports the memory limit of a pod without one some time after the pod
 * has started.
 */
export function withoutArtefacts(requests: readonly ApiRequest[]): ApiRequest[] {
  const kept: ApiRequest[] = [];
  for (const request of requests) {
    const status = statusPatch(request);
    if (status === undefined || !hasFalseLimit(status)) {
      kept.push(request);
      continue;
    }
    const { resources: _, ...rest } = status;
    if (Object.keys(rest).length > 0) kept.push({ ...request, body: { ...(request.body as object), status: rest } });
    else dropRead(kept, request);
  }
  return kept;
}

/** Reports whether a patch sets the false limit, or removes it again. */
function hasFalseLimit({ resources }: PodStatus): boolean {
  const limits: unknown = resources?.limits;
  return limits === null || resources?.limits?.['memory'] === NO_LIMIT;
}

/** Drops status patches, together with the reads before them. */
export function withoutPatches(
  requests: readonly ApiRequest[],
  isDropped: (status: PodStatus) => boolean,
): readonly ApiRequest[] {
  const kept: ApiRequest[] = [];
  for (const request of requests) {
    const status = statusPatch(request);
    if (status !== undefined && isDropped(status)) dropRead(kept, request);
    else kept.push(request);
  }
  return kept;
}

function statusPatch({ method, path, body }: ApiRequest): PodStatus | undefined {
  return method === 'PATCH' && path.endsWith('/status')
    ? (body as { status?: PodStatus } | undefined)?.status
    : undefined;
}

/** Drops the GET that belongs to a status patch. */
function dropRead(requests: ApiRequest[], { path }: ApiRequest): void {
  const index = requests.findLastIndex((request) => request.method === 'GET' && `${request.path}/status` === path);
  if (index >= 0) requests.splice(index, 1);
}
