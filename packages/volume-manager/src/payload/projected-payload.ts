import type {
  ClusterTrustBundleProjection,
  ConfigMap,
  Pod,
  PodCertificateProjection,
  ProjectedVolumeSource,
  Secret,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '@rxlet/kube-api';
import { podUid, podContainers } from '@rxlet/pod-model';
import { downwardApiPayload } from './downward-api-payload.ts';
import { configMapPayload, createDecodedObjects, type DecodedObjects, secretPayload } from './object-payload.ts';
import { fetchConfigMap, fetchSecret } from './fetch-object.ts';
import { createPayloadErrors } from './payload-errors.ts';
import type { PayloadSources } from './payload-sources.ts';
import { type Payload, PayloadError, type PayloadFile, requireDefaultMode } from './payload.ts';

/** Mode of credentials that have an owner or a group. */
const CREDENTIAL_MODE = 0o600;

/** A projected volume whose files are collected. */
interface Projection {
  readonly pod: Pod;
  readonly volumeName: string;
  readonly sources: PayloadSources;
  readonly defaultMode: number;
  readonly signal: AbortSignal | undefined;
  readonly decoded: DecodedObjects;
  /** Contents of fields of the pod, by path. */
  readonly contents: Map<string, Uint8Array>;
}

/** Collects the files of a projected volume from all of its sources. Rejects with PayloadError, which names every source that failed. */
export async function projectedPayload(
  pod: Pod,
  volumeName: string,
  { sources: projections = [], defaultMode }: ProjectedVolumeSource,
  sources: PayloadSources,
  signal?: AbortSignal,
): Promise<Payload> {
  const mode = requireDefaultMode(defaultMode);
  // As in the kubelet, whatever the sources are.
  if (sources.objects === undefined)
    throw new PayloadError(`cannot setup projected volume ${volumeName} because kube client is not configured`);
  const decoded = createDecodedObjects();
  const projection = { pod, volumeName, sources, defaultMode: mode, signal, decoded, contents: new Map() };
  const errors = createPayloadErrors(signal);
  const files = new Map<string, PayloadFile>();
  for (const [index, source] of projections.entries()) {
    await errors.attempt(async () => {
      for (const [path, file] of await collectSource(projection, source, index)) files.set(path, file);
    });
  }
  errors.throwIfAny();
  return files;
}

async function collectSource(projection: Projection, source: VolumeProjection, index: number): Promise<Payload> {
  const { pod, sources, defaultMode, signal, decoded, contents } = projection;
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (secret !== undefined) {
    const found: Secret = await fetchSecret(sources, pod, secret.name, secret.optional, signal);
    return secretPayload(found, { ...secret, defaultMode }, decoded);
  }
  if (configMap !== undefined) {
    const found: ConfigMap = await fetchConfigMap(sources, pod, configMap.name, configMap.optional, signal);
    return configMapPayload(found, { ...configMap, defaultMode }, decoded);
  }
  if (downwardAPI !== undefined)
    return downwardApiPayload(pod, downwardAPI.items ?? [], defaultMode, () => sources.allocatable(), contents);
  if (serviceAccountToken !== undefined) return collectToken(projection, serviceAccountToken);
  if (clusterTrustBundle !== undefined) return collectTrustBundle(projection, clusterTrustBundle);
  if (podCertificate !== undefined) return collectCertificate(projection, podCertificate, index);
  return new Map();
}

async function collectToken(projection: Projection, token: ServiceAccountTokenProjection): Promise<Payload> {
  const { pod, sources, signal } = projection;
  if (sources.tokens === undefined)
    throw new PayloadError('cannot use TokenManager when kubelet is in standalone mode');
  const { audience = '', expirationSeconds, path } = token;
  const { token: text } = await sources.tokens.podToken(
    {
      namespace: pod.metadata?.namespace ?? '',
      serviceAccountName: pod.spec?.serviceAccountName ?? '',
      audiences: audience === '' ? [] : [audience],
      expirationSeconds,
      boundObject: { apiVersion: 'v1', kind: 'Pod', name: pod.metadata?.name ?? '', uid: podUid(pod) },
    },
    signal,
  );
  return credentialFiles(projection, { [path]: text });
}

async function collectTrustBundle(projection: Projection, bundle: ClusterTrustBundleProjection): Promise<Payload> {
  const { trustBundles } = projection.sources;
  const { name, signerName, labelSelector, optional = false, path } = bundle;
  if (name === undefined && signerName === undefined)
    throw new PayloadError('ClusterTrustBundle projection requires either name or signerName to be set');
  if (trustBundles === undefined) throw new PayloadError('ClusterTrustBundle projection is not supported by this node');
  const text =
    name !== undefined
      ? await trustBundles.byName(name, optional, projection.signal)
      : await trustBundles.bySigner(signerName!, labelSelector, optional, projection.signal);
  return credentialFiles(projection, { [path]: text });
}

async function collectCertificate(
  projection: Projection,
  { credentialBundlePath, keyPath, certificateChainPath }: PodCertificateProjection,
  index: number,
): Promise<Payload> {
  const { pod, volumeName, sources, signal } = projection;
  if (sources.podCertificates === undefined)
    throw new PayloadError('PodCertificate projection is not supported by this node');
  const { key, certificates } = await sources.podCertificates.credentials(pod, volumeName, index, signal);
  return credentialFiles(projection, {
    [credentialBundlePath ?? '']: key + certificates,
    [keyPath ?? '']: key,
    [certificateChainPath ?? '']: certificates,
  });
}

/** Files that only the pod's user and group may read, if it has such. The group's access is added with the group itself. */
function credentialFiles({ pod, defaultMode }: Projection, texts: Readonly<Record<string, string>>): Payload {
  const fsUser = fsUserOf(pod);
  const hasGroup = pod.spec?.securityContext?.fsGroup !== undefined;
  const mode = fsUser !== undefined || hasGroup ? CREDENTIAL_MODE : defaultMode;
  return new Map(
    Object.entries(texts)
      .filter(([path]) => path !== '')
      .map(([path, text]) => [path, { content: new TextEncoder().encode(text), mode, fsUser }]),
  );
}

/** Returns the user that all containers of a pod run as, the owner of its credentials; `undefined` when one sets none or they differ (kubelet: FsUserFrom). */
function fsUserOf(pod: Pod): number | undefined {
  const ofPod = pod.spec?.securityContext?.runAsUser;
  const users = new Set(podContainers(pod).map(({ container }) => container.securityContext?.runAsUser ?? ofPod));
  return users.size === 1 ? [...users][0] : undefined;
}
