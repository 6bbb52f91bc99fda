import { createHash } from 'node:crypto';
import { toRfc3339 } from '@rxlet/component-base';

/** A pull secret with which an image was pulled, and the hash of its credential at that time. */
export interface ImagePullSecret {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Hex SHA-256 of the auth config; empty when it could not be computed. */
  readonly credentialHash: string;
}

/** A service account with whose token an image was pulled. */
export interface ImagePullServiceAccount {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** Credentials that have proven access to an image. */
export interface ImagePullCredentials {
  readonly kubernetesSecrets: readonly ImagePullSecret[];
  readonly kubernetesServiceAccounts: readonly ImagePullServiceAccount[];
  /** Every pod of the node: it was pulled anonymously, or with credentials of the node. */
  readonly nodePodsAccessible: boolean;
}

/** Record of a pulled image and its credentials: the content of a file in `pulled`. */
export interface ImagePulledRecord {
  /** Reference of the image in the runtime. */
  readonly imageRef: string;
  /** Epoch milliseconds, in whole seconds. */
  readonly lastUpdatedMs: number;
  /** By repository with its registry, without tag or digest: `docker.io/library/nginx`. */
  readonly credentialMapping: Readonly<Record<string, ImagePullCredentials>>;
}

/** Error of a file that is not a record of its kind. */
export class RecordFormatError extends Error {
  override readonly name = 'RecordFormatError';
}

/** Returns the file name of a record, as in the kubelet. The key is the image for an intent, and the runtime's reference for a pulled image. */
export function recordFileName(key: string): string {
  return `sha256-${createHash('sha256').update(key).digest('hex')}`;
}

const API_GROUP = 'kubelet.config.k8s.io';
const API_VERSION = `${API_GROUP}/v1beta1`;
/** Kubelets up to 1.34 wrote v1alpha1, which has the same fields. */
const READABLE_VERSIONS = [API_VERSION, `${API_GROUP}/v1alpha1`];

/** A parsed record, and whether it has the current version. */
export interface ReadRecord<T> {
  readonly record: T;
  readonly isCurrent: boolean;
}

/** Writes an intent to pull `image` (kind ImagePullIntent of kubelet.config.k8s.io/v1beta1). */
export function formatPullIntent(image: string): string {
  return `${JSON.stringify({ kind: 'ImagePullIntent', apiVersion: API_VERSION, image })}\n`;
}

/** Reads the image of an intent. @throws {@link RecordFormatError} */
export function parsePullIntent(text: string): ReadRecord<string> {
  const { fields, isCurrent } = parseObject(text, 'ImagePullIntent');
  return { record: textField(fields, 'image'), isCurrent };
}

/** Writes a record (kind ImagePulledRecord of kubelet.config.k8s.io/v1beta1). */
export function formatPulledRecord({ imageRef, lastUpdatedMs, credentialMapping }: ImagePulledRecord): string {
  // Go's omitempty; a kubelet decodes strictly, so the record has no fields of its own.
  const mapping = Object.entries(credentialMapping).map(([repository, credentials]) => {
    const { kubernetesSecrets, kubernetesServiceAccounts, nodePodsAccessible } = credentials;
    const entry = {
      ...(kubernetesSecrets.length > 0 && { kubernetesSecrets }),
      ...(kubernetesServiceAccounts.length > 0 && { kubernetesServiceAccounts }),
      ...(nodePodsAccessible && { nodePodsAccessible }),
    };
    return [repository, entry] as const;
  });
  return `${JSON.stringify({
    kind: 'ImagePulledRecord',
    apiVersion: API_VERSION,
    lastUpdatedTime: toRfc3339(lastUpdatedMs),
    imageRef,
    ...(mapping.length > 0 && { credentialMapping: Object.fromEntries(mapping) }),
  })}\n`;
}

/** Reads a record. @throws {@link RecordFormatError} */
export function parsePulledRecord(text: string): ReadRecord<ImagePulledRecord> {
  const { fields, isCurrent } = parseObject(text, 'ImagePulledRecord');
  const lastUpdatedMs = Date.parse(textField(fields, 'lastUpdatedTime'));
  if (Number.isNaN(lastUpdatedMs)) throw new RecordFormatError('lastUpdatedTime is not a time');
  const mapping = optionalObject(fields['credentialMapping'], 'credentialMapping');
  const credentialMapping = Object.fromEntries(
    Object.entries(mapping).map(([repository, entry]) => [repository, parseCredentials(entry, repository)]),
  );
  return { record: { imageRef: textField(fields, 'imageRef'), lastUpdatedMs, credentialMapping }, isCurrent };
}

type Fields = Readonly<Record<string, unknown>>;

function parseObject(text: string, kind: string): { fields: Fields; isCurrent: boolean } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RecordFormatError('it is not JSON');
  }
  const fields = optionalObject(value, 'it');
  const apiVersion = fields['apiVersion'];
  if (fields['kind'] !== kind || !READABLE_VERSIONS.includes(apiVersion as string)) {
    throw new RecordFormatError(`it is not of kind ${kind} in ${READABLE_VERSIONS.join(' or ')}`);
  }
  return { fields, isCurrent: apiVersion === API_VERSION };
}

function parseCredentials(value: unknown, repository: string): ImagePullCredentials {
  const place = `credentialMapping of ${repository}`;
  const fields = optionalObject(value, place);
  const nodePodsAccessible = fields['nodePodsAccessible'] ?? false;
  if (typeof nodePodsAccessible !== 'boolean') {
    throw new RecordFormatError(`nodePodsAccessible in ${place} is neither true nor false`);
  }
  return {
    kubernetesSecrets: optionalList(fields['kubernetesSecrets'], place).map((secret) => ({
      ...coordinates(secret),
      credentialHash: textField(secret, 'credentialHash'),
    })),
    kubernetesServiceAccounts: optionalList(fields['kubernetesServiceAccounts'], place).map(coordinates),
    nodePodsAccessible,
  };
}

function coordinates(fields: Fields): ImagePullServiceAccount {
  return { uid: textField(fields, 'uid'), namespace: textField(fields, 'namespace'), name: textField(fields, 'name') };
}

function textField(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new RecordFormatError(`${name} is not a text`);
  return value;
}

function optionalObject(value: unknown, place: string): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new RecordFormatError(`${place} is not an object`);
  return value as Fields;
}

function optionalList(value: unknown, place: string): readonly Fields[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new RecordFormatError(`${place} has something else where a list belongs`);
  return value.map((item) => optionalObject(item, `an item in ${place}`));
}
