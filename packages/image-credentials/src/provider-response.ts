import type { RegistryAuth } from '@rxlet/agent-api/images';
import { parseGoDuration } from '@rxlet/component-base/go';
import type { KeyringEntry } from './keyring.ts';
import { createRegistryAuth } from './registry-auth.ts';

/** Images to which a response applies: the requested one, all of its registry, or all. */
export type CacheKeyType = 'Image' | 'Registry' | 'Global';

/** Answer of a credential provider. */
export interface ProviderResponse {
  readonly cacheKeyType: CacheKeyType;
  /** `undefined`: the duration of the configuration. `0` or less: not cached. */
  readonly cacheDurationMs: number | undefined;
  readonly entries: readonly KeyringEntry<RegistryAuth>[];
}

/** Error of a failed credential provider, or of an invalid answer. The message never quotes the answer. */
export class CredentialProviderError extends Error {
  override readonly name = 'CredentialProviderError';
  readonly reason: 'ProgramFailed' | 'InvalidResponse';

  constructor(reason: CredentialProviderError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Encodes the request to a provider, as JSON for its standard input. */
export function encodeProviderRequest(
  apiVersion: string,
  image: string,
  account?: { readonly token: string; readonly annotations: Readonly<Record<string, string>> },
): string {
  return JSON.stringify({
    kind: 'CredentialProviderRequest',
    apiVersion,
    image,
    ...(account && { serviceAccountToken: account.token, serviceAccountAnnotations: account.annotations }),
  });
}

/** Reads an answer, whose version must be that of the request. @throws {@link CredentialProviderError} */
export function parseProviderResponse(apiVersion: string, text: string): ProviderResponse {
  const response = parseJson(text);
  if (!isRecord(response)) throw invalid('is not a JSON object');
  if (response['apiVersion'] !== apiVersion) throw invalid(`must have apiVersion ${apiVersion}`);
  if (response['kind'] !== 'CredentialProviderResponse') throw invalid('must have kind CredentialProviderResponse');
  const { cacheKeyType, cacheDuration = null, auth } = response;
  if (cacheKeyType !== 'Image' && cacheKeyType !== 'Registry' && cacheKeyType !== 'Global') {
    throw invalid('must have cacheKeyType Image, Registry or Global');
  }
  const cacheDurationMs = typeof cacheDuration === 'string' ? parseGoDuration(cacheDuration) : undefined;
  if (cacheDuration !== null && cacheDurationMs === undefined) throw invalid('has a cacheDuration that is no duration');
  const auths = auth ?? {};
  if (!isRecord(auths)) throw invalid('has an auth that is no object');
  const entries = Object.entries(auths).map(([registry, value]) => {
    const { username = '', password = '' } = isRecord(value) ? value : { username: undefined, password: null };
    if (typeof username !== 'string' || typeof password !== 'string') {
      throw invalid('has an auth whose username and password are not strings');
    }
    return { registry, credential: createRegistryAuth(username, password) };
  });
  return { cacheKeyType, cacheDurationMs, entries };
}

/** Returns all strings of an answer that may be secret, even if the answer is malformed. */
export function secretsOf(stdout: string): readonly string[] {
  const secrets: string[] = [];
  try {
    JSON.parse(stdout, (key, value: unknown) => {
      if ((key === 'username' || key === 'password') && typeof value === 'string') secrets.push(value);
      return value;
    });
  } catch {
    // Otherwise its words, each of which could be a secret.
    secrets.push(...stdout.split(/[\s"',:{}]+/).filter(({ length }) => length >= 8));
  }
  return secrets;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Without the parser's message, which quotes the text.
    throw invalid('is not JSON');
  }
}

function invalid(problem: string): CredentialProviderError {
  return new CredentialProviderError('InvalidResponse', `its answer ${problem}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
