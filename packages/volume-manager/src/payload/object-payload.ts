import type { ConfigMap, KeyToPath, Secret } from '@rxlet/kube-api';
import { type PayloadDraft, PayloadError, type PayloadFile, requireDefaultMode } from './payload.ts';

/** Selection of the keys of a ConfigMap or Secret. */
export interface ObjectItems {
  readonly items?: readonly KeyToPath[] | undefined;
  readonly defaultMode?: number | undefined;
  /** Missing keys are left out. */
  readonly optional?: boolean | undefined;
}

type Values = ReadonlyMap<string, Uint8Array>;

/** Decoded values of the objects of one volume, whose sources may name an object thousands of times. */
export interface DecodedObjects {
  /** Values by object, where keys of it are chosen. */
  readonly chosen: Map<object, Values>;
  /** Values by object, where all of it is shown. */
  readonly whole: Map<object, Values>;
}

/** Creates {@link DecodedObjects}, empty at first. */
export function createDecodedObjects(): DecodedObjects {
  return { chosen: new Map(), whole: new Map() };
}

/** Returns the files of a ConfigMap (kubelet: configmap.MakePayload). @throws PayloadError for a key that does not exist */
export function configMapPayload(
  configMap: ConfigMap,
  selection: ObjectItems,
  decoded: DecodedObjects = createDecodedObjects(),
): PayloadDraft {
  const values = decodeOnce(decoded, configMap, selection, () => {
    const { data = {}, binaryData = {} } = configMap;
    const found = new Map<string, Uint8Array>();
    for (const [key, text] of Object.entries(data)) found.set(key, encoder.encode(text));
    for (const [key, text] of Object.entries(binaryData)) {
      // With items a text wins, otherwise bytes do; the API allows no key in both.
      if (!found.has(key) || isEmpty(selection.items)) found.set(key, Buffer.from(text, 'base64'));
    }
    return found;
  });
  return payloadOf(values, selection, (key) => `configmap references non-existent config key: ${key}`);
}

/** Returns the files of a Secret (kubelet: secret.MakePayload). @throws PayloadError for a key that does not exist */
export function secretPayload(
  secret: Secret,
  selection: ObjectItems,
  decoded: DecodedObjects = createDecodedObjects(),
): PayloadDraft {
  const values = decodeOnce(decoded, secret, selection, () => {
    const { data = {}, stringData = {} } = secret;
    const found = new Map<string, Uint8Array>();
    for (const [key, text] of Object.entries(data)) found.set(key, Buffer.from(text, 'base64'));
    for (const [key, text] of Object.entries(stringData)) found.set(key, encoder.encode(text));
    return found;
  });
  return payloadOf(values, selection, (key) => `references non-existent secret key: ${key}`);
}

function decodeOnce(
  { chosen, whole }: DecodedObjects,
  object: object,
  { items }: ObjectItems,
  decode: () => Values,
): Values {
  const known = isEmpty(items) ? whole : chosen;
  const values = known.get(object) ?? decode();
  known.set(object, values);
  return values;
}

const encoder = new TextEncoder();

function isEmpty(items: readonly KeyToPath[] | undefined): boolean {
  return items === undefined || items.length === 0;
}

function payloadOf(
  values: Values,
  { items, defaultMode, optional }: ObjectItems,
  missing: (key: string) => string,
): PayloadDraft {
  const mode = requireDefaultMode(defaultMode);
  const files = new Map<string, PayloadFile>();
  if (isEmpty(items)) {
    for (const [key, content] of values) files.set(key, { content, mode });
    return files;
  }
  for (const item of items!) {
    const content = values.get(item.key);
    if (content !== undefined) files.set(item.path, { content, mode: item.mode ?? mode });
    else if (optional !== true) throw new PayloadError(missing(item.key));
  }
  return files;
}
