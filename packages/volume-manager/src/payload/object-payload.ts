import type { ConfigMap, KeyToPath, Secret } from '@rxlet/kube-api';
import { type PayloadDraft, PayloadError, type PayloadFile, requireDefaultMode } from './payload.ts';

/** Selection of the keys of a ConfigMap or Secret. */
export interface ObjectItems {
  readonly items?: readonly KeyToPath[] | undefined;
  readonly defaultMode?: number | undefined;
  /** Missing keys are left out. */
  readonly optional?: boolean | undefined;
}

/** Returns the files of a ConfigMap (kubelet: configmap.MakePayload). @throws PayloadError for a key that does not exist */
export function configMapPayload({ data = {}, binaryData = {} }: ConfigMap, selection: ObjectItems): PayloadDraft {
  const values = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(data)) values.set(key, encoder.encode(text));
  for (const [key, text] of Object.entries(binaryData)) {
    // With items a text wins, otherwise bytes do; the API allows no key in both.
    if (!values.has(key) || isEmpty(selection.items)) values.set(key, Buffer.from(text, 'base64'));
  }
  return payloadOf(values, selection, (key) => `configmap references non-existent config key: ${key}`);
}

/** Returns the files of a Secret (kubelet: secret.MakePayload). @throws PayloadError for a key that does not exist */
export function secretPayload({ data = {}, stringData = {} }: Secret, selection: ObjectItems): PayloadDraft {
  const values = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(data)) values.set(key, Buffer.from(text, 'base64'));
  for (const [key, text] of Object.entries(stringData)) values.set(key, encoder.encode(text));
  return payloadOf(values, selection, (key) => `references non-existent secret key: ${key}`);
}

const encoder = new TextEncoder();

function isEmpty(items: readonly KeyToPath[] | undefined): boolean {
  return items === undefined || items.length === 0;
}

function payloadOf(
  values: ReadonlyMap<string, Uint8Array>,
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
