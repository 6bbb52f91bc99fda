import type { StoredObject } from '../api-object.ts';
import type { KeyPair } from '../certificates/certificate-authority.ts';

/** State of a server between runs. */
export interface SavedState {
  /** Revision of the last change. */
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  /** Key with which tokens of service accounts are signed. */
  readonly tokenKey: string;
  /** Certificate authority; absent when the server has issued no certificate. */
  readonly authority?: KeyPair | undefined;
}

const FORMAT = 1;

/** Returns a state as text. */
export function formatSavedState(state: SavedState): string {
  return `${JSON.stringify({ format: FORMAT, ...state })}\n`;
}

/** Reads a state. @throws TypeError when the text is no saved state */
export function parseSavedState(text: string): SavedState {
  const value = parseJson(text);
  if (value?.['format'] !== FORMAT) throw new TypeError('it is no state of a fake API server');
  const { revision, objects, tokenKey, authority } = value as Partial<SavedState>;
  const isState =
    Number.isSafeInteger(revision) &&
    Array.isArray(objects) &&
    objects.every(isStoredObject) &&
    typeof tokenKey === 'string' &&
    (authority === undefined || isKeyPair(authority));
  if (!isState) throw new TypeError('it is incomplete');
  return { revision: revision!, objects, tokenKey, authority };
}

function parseJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isStoredObject(value: unknown): boolean {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<StoredObject>;
  const texts = [apiVersion, kind, metadata?.name, metadata?.uid, metadata?.resourceVersion];
  return texts.every((text) => typeof text === 'string');
}

function isKeyPair({ certificatePem, keyPem }: Partial<KeyPair>): boolean {
  return typeof certificatePem === 'string' && typeof keyPem === 'string';
}
