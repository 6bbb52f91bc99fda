import { parseGoDuration } from '@rxlet/component-base/go';
import { hide } from './hidden.ts';
import { parseRegistryLocation } from './registry-url.ts';

/** A file of the configuration, parsed from JSON or YAML. */
export interface ConfigDocument {
  /** The file, for messages. */
  readonly source: string;
  readonly value: unknown;
}

/** The versions of the protocol between agent and provider. */
export const PROVIDER_API_VERSIONS: readonly string[] = [
  'credentialprovider.kubelet.k8s.io/v1',
  'credentialprovider.kubelet.k8s.io/v1beta1',
  'credentialprovider.kubelet.k8s.io/v1alpha1',
];

/** Environment variable of a provider. Its value does not appear in logs. */
export interface ProviderVariable {
  readonly name: string;
  readonly value: string;
}

/** Request that the provider gets a token of the pod's service account. */
export interface TokenAttributes {
  readonly serviceAccountTokenAudience: string;
  /** Scope of cached credentials: the service account, or one token. */
  readonly cacheType: 'ServiceAccount' | 'Token';
  /** Whether the provider is skipped for pods without a service account, rather than run without a token. */
  readonly requireServiceAccount: boolean;
  readonly requiredServiceAccountAnnotationKeys: readonly string[];
  readonly optionalServiceAccountAnnotationKeys: readonly string[];
}

/** A credential provider: a program that returns credentials for some registries. */
export interface CredentialProviderConfig {
  /** Name of the program in the folder of the providers. */
  readonly name: string;
  /** See `RegistryPattern`. */
  readonly matchImages: readonly string[];
  readonly defaultCacheDurationMs: number;
  readonly apiVersion: string;
  readonly args: readonly string[];
  readonly env: readonly ProviderVariable[];
  readonly tokenAttributes?: TokenAttributes;
}

/** Error of an unusable configuration. The message has a line for each problem: file, field, expected value. */
export class CredentialProviderConfigError extends Error {
  override readonly name = 'CredentialProviderConfigError';
  readonly reason: 'InvalidConfig' | 'TokensUnavailable';

  constructor(reason: CredentialProviderConfigError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const CONFIG_API_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `kubelet.config.k8s.io/${version}`);

/**
 * Parses the configuration of credential providers (kind CredentialProviderConfig), in the order of `documents`: one file, or those of a folder by name.
 * Unknown fields are errors, because most of them are misspelt.
 *
 * @throws {@link CredentialProviderConfigError}
 */
export function parseCredentialProviderConfig(
  documents: readonly ConfigDocument[],
): readonly CredentialProviderConfig[] {
  const problems: string[] = [];
  const firstSources = new Map<string, string>();
  if (documents.length === 0)
    problems.push('cannot find a configuration file: its name must end in .json, .yaml or .yml');
  const providers = documents.flatMap(({ source, value }) => {
    const file = reader(value, '', (field, problem) => problems.push(`${source}: ${field}: ${problem}`));
    file.oneOf('apiVersion', CONFIG_API_VERSIONS);
    file.oneOf('kind', ['CredentialProviderConfig']);
    const items = file.objects('providers');
    if (items.length === 0) file.wrong('providers', 'at least one provider is required');
    file.end();
    return items.map((item) => {
      const provider = readProvider(item);
      const first = firstSources.get(provider.name);
      if (first !== undefined) {
        item.wrong('name', `there is a provider ${JSON.stringify(provider.name)} in ${first} already`);
      }
      firstSources.set(provider.name, first ?? source);
      return provider;
    });
  });
  if (problems.length > 0) {
    throw new CredentialProviderConfigError(
      'InvalidConfig',
      `the configuration of the image credential providers is not valid:\n${problems.join('\n')}`,
    );
  }
  return providers;
}

function readProvider(provider: Reader): CredentialProviderConfig {
  const name = provider.text('name');
  if (name === '' || name === '.' || name === '..' || /[/ \0]/.test(name)) {
    provider.wrong('name', 'it must be the name of a program, without a slash or a space');
  }
  const matchImages = provider.texts('matchImages');
  if (matchImages.length === 0) provider.wrong('matchImages', 'at least one image is required');
  matchImages.forEach((image, index) => {
    if (image === '' || parseRegistryLocation(image) === undefined) {
      provider.wrong(
        `matchImages[${String(index)}]`,
        `${JSON.stringify(image)} must be a host with an optional port and path, such as *.example.com:5000/team`,
      );
    }
  });
  const defaultCacheDurationMs = readDuration(provider);
  const apiVersion = provider.oneOf('apiVersion', PROVIDER_API_VERSIONS);
  const args = provider.texts('args');
  const env = provider.objects('env').map((variable): ProviderVariable => {
    const variableName = variable.text('name');
    const value = variable.text('value');
    if (variableName === '' || /[=\0]/.test(variableName)) variable.wrong('name', 'it must be the name of a variable');
    if (value.includes('\0')) variable.wrong('value', 'it must not hold NUL');
    variable.end();
    return hide({ name: variableName }, { value });
  });
  const tokens = provider.object('tokenAttributes');
  const tokenAttributes = tokens && readTokenAttributes(tokens);
  if (tokens && apiVersion !== PROVIDER_API_VERSIONS[0]) {
    provider.wrong('tokenAttributes', `it needs apiVersion ${PROVIDER_API_VERSIONS[0]!}`);
  }
  provider.end();
  return {
    name,
    matchImages,
    defaultCacheDurationMs,
    apiVersion,
    args,
    env,
    ...(tokenAttributes && { tokenAttributes }),
  };
}

function readDuration(provider: Reader): number {
  const text = provider.text('defaultCacheDuration');
  const durationMs = parseGoDuration(text);
  if (durationMs === undefined || durationMs < 0) {
    provider.wrong('defaultCacheDuration', 'it must be a duration of 0s or more, such as 12h or 10m30s');
    return 0;
  }
  return durationMs;
}

/** A key of an annotation: `name` or `domain/name`. Values of other form could not be on a service account. */
const ANNOTATION_KEY =
  /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[a-zA-Z0-9](?:[-\w.]{0,61}[a-zA-Z0-9])?$/;

function readTokenAttributes(tokens: Reader): TokenAttributes {
  const serviceAccountTokenAudience = tokens.text('serviceAccountTokenAudience');
  if (serviceAccountTokenAudience === '') tokens.wrong('serviceAccountTokenAudience', 'it is required');
  const cacheType = tokens.oneOf('cacheType', ['ServiceAccount', 'Token']);
  const requireServiceAccount = tokens.flag('requireServiceAccount');
  const required = tokens.texts('requiredServiceAccountAnnotationKeys');
  const optional = tokens.texts('optionalServiceAccountAnnotationKeys');
  if (!requireServiceAccount && required.length > 0) {
    tokens.wrong('requiredServiceAccountAnnotationKeys', 'they need requireServiceAccount: true');
  }
  const seen = new Set<string>();
  for (const [field, keys] of [
    ['requiredServiceAccountAnnotationKeys', required],
    ['optionalServiceAccountAnnotationKeys', optional],
  ] as const) {
    for (const key of keys) {
      if (!ANNOTATION_KEY.test(key)) tokens.wrong(field, `${JSON.stringify(key)} is not the key of an annotation`);
      if (seen.has(key)) tokens.wrong(field, `${JSON.stringify(key)} is named twice`);
      seen.add(key);
    }
  }
  tokens.end();
  return {
    serviceAccountTokenAudience,
    cacheType: cacheType === 'Token' ? 'Token' : 'ServiceAccount',
    requireServiceAccount,
    requiredServiceAccountAnnotationKeys: required,
    optionalServiceAccountAnnotationKeys: optional,
  };
}

/** Reads the fields of one object. A wrong value is reported, without quoting it, and replaced by an empty one of the right type. */
interface Reader {
  wrong(field: string, problem: string): void;
  text(field: string): string;
  texts(field: string): readonly string[];
  flag(field: string): boolean;
  oneOf(field: string, choices: readonly string[]): string;
  object(field: string): Reader | undefined;
  objects(field: string): readonly Reader[];
  /** Reports the fields that were not read. */
  end(): void;
}

function reader(value: unknown, path: string, report: (field: string, problem: string) => void): Reader {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const fields = new Map<string, unknown>(isObject ? Object.entries(value) : []);
  const read = new Set<string>();
  if (!isObject) report(path.replace(/\.$/, '') || 'the file', 'it must be an object');
  const wrong = (field: string, problem: string): void => report(`${path}${field}`, problem);
  const get = (field: string): unknown => {
    read.add(field);
    return fields.get(field) ?? undefined;
  };
  const list = (field: string): readonly unknown[] => {
    const items = get(field) ?? [];
    if (Array.isArray(items)) return items;
    wrong(field, 'it must be a list');
    return [];
  };
  const typed = <T>(field: string, found: unknown, type: string, instead: T): T => {
    if (typeof found === type) return found as T;
    wrong(field, `it must be a ${type}`);
    return instead;
  };
  return {
    wrong,
    text: (field) => typed(field, get(field) ?? '', 'string', ''),
    texts: (field) => list(field).map((item, index) => typed(`${field}[${String(index)}]`, item, 'string', '')),
    flag: (field) => typed(field, get(field), 'boolean', false),
    oneOf(field, choices) {
      const found = get(field);
      if (choices.some((choice) => choice === found)) return found as string;
      wrong(field, `it must be ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}`);
      return '';
    },
    object(field) {
      const found = get(field);
      return found === undefined ? undefined : reader(found, `${path}${field}.`, report);
    },
    objects: (field) => list(field).map((item, index) => reader(item, `${path}${field}[${String(index)}].`, report)),
    end() {
      for (const field of fields.keys()) if (!read.has(field)) wrong(field, 'there is no such field');
    },
  };
}
