import type { PodToken } from '@rxlet/agent-api/kube';
import type { CSIDriver, Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import type { CsiContext } from './csi-context.ts';

/** Tokens for a driver, at the place where it expects them. */
export interface CsiTokens {
  readonly attributes: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

const NONE: CsiTokens = { attributes: {}, secrets: {} };
const KEY = 'csi.storage.k8s.io/serviceAccount.tokens';

/** Requests the tokens of the pod's service account that a driver asks for, one for each audience (kubelet: podServiceAccountTokenAttrs). */
export async function csiTokens(
  { podTokens }: Pick<CsiContext, 'podTokens'>,
  object: CSIDriver | undefined,
  pod: Pod,
  signal: AbortSignal,
): Promise<CsiTokens> {
  const { tokenRequests = [], serviceAccountTokenInSecrets = false } = object?.spec ?? {};
  if (tokenRequests.length === 0) return NONE;
  const failed = 'kubernetes.io/csi: mounter.SetUpAt failed to get service accoount token attributes';
  if (podTokens === undefined) throw new Error(`${failed}: there is no API server`);
  const { namespace = '', name = '' } = pod.metadata ?? {};
  const tokens: Record<string, PodToken> = {};
  for (const { audience = '', expirationSeconds } of tokenRequests)
    tokens[audience] = await podTokens.podToken(
      {
        namespace,
        serviceAccountName: pod.spec?.serviceAccountName ?? '',
        audiences: audience === '' ? [] : [audience],
        expirationSeconds,
        boundObject: { apiVersion: 'v1', kind: 'Pod', name, uid: podUid(pod) },
      },
      signal,
    );
  const attributes = { [KEY]: formatTokens(tokens) };
  return serviceAccountTokenInSecrets ? { attributes: {}, secrets: attributes } : { attributes, secrets: {} };
}

/** Formats the statuses of the requests by audience, sorted as Go writes a map. */
function formatTokens(tokens: Readonly<Record<string, PodToken>>): string {
  const sorted = Object.entries(tokens).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(
      sorted.map(([audience, { token, expirationTimestamp }]) => [audience, { token, expirationTimestamp }]),
    ),
  );
}
