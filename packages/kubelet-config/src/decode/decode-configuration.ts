import { dirname, isAbsolute, join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { type KubeletConfiguration, KubeletConfigurationError } from '@rxlet/component-base/kubelet-configuration';
import { kubeletConfigurationFields } from '../schema/kubelet-configuration-fields.ts';
import { decodeStruct } from './decode-value.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';
import { parseJson } from './parse-json.ts';
import { parseYaml } from './parse-yaml.ts';

/** Group and version of the configuration. */
export const API_VERSION = 'kubelet.config.k8s.io/v1beta1';

/** Kind of the configuration. */
export const KIND = 'KubeletConfiguration';

/** A decoded file. */
export interface DecodedConfiguration {
  readonly configuration: KubeletConfiguration;
  /** Unknown and duplicate fields, which are ignored. */
  readonly warnings: readonly string[];
}

/**
 * Decodes a KubeletConfiguration. Relative paths in it count from the directory of `path`.
 * @throws KubeletConfigurationError of stage `decode`
 */
export function decodeConfiguration(source: string, path: string): DecodedConfiguration {
  const reject = (problem: string): never => {
    throw new KubeletConfigurationError('decode', [`cannot load the configuration file "${path}": ${problem}`]);
  };
  if (source === '') return reject('the file is empty');
  try {
    const { value, duplicates } = parseSource(source);
    const { apiVersion, kind, fields } = readTypeMeta(value);
    if (apiVersion !== API_VERSION || kind !== KIND)
      return reject(`expected apiVersion ${API_VERSION} and kind ${KIND}, got "${apiVersion}" and "${kind}"`);
    const unknown: string[] = [];
    const onUnknownField = (field: string): void => void unknown.push(field);
    const configuration = decodeStruct(kubeletConfigurationFields, fields, '', { onUnknownField });
    return {
      configuration: resolvePaths(configuration, dirname(path)),
      warnings: [
        ...duplicates.filter(({ path }) => !isBelow(path, unknown)).map(({ message }) => message),
        ...unknown.map((field) => `unknown field "${field}"`),
      ],
    };
  } catch (error) {
    if (error instanceof KubeletConfigurationError) throw error;
    return reject(errorMessage(error));
  }
}

interface Duplicate {
  readonly message: string;
  /** Path of the field; absent where the parser of the format knows the key alone. */
  readonly path?: string;
}

const SPACE_AND_BRACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*\{/;

/** Parses a file of `--config`: JSON when it begins with a brace, else YAML. @throws SyntaxError */
function parseSource(source: string): { value: JsonValue; duplicates: readonly Duplicate[] } {
  if (SPACE_AND_BRACE.test(source)) {
    const { value, duplicates } = parseJson(source);
    return { value, duplicates: duplicates.map((path) => ({ path, message: `duplicate field "${path}"` })) };
  }
  const { value, duplicates } = parseYaml(source);
  return {
    value,
    duplicates: duplicates.map(({ key, line }) => ({ message: `line ${String(line)}: duplicate key "${key}"` })),
  };
}

/** Reports whether a path is one of the given ones or below one of them. */
function isBelow(path: string | undefined, ancestors: readonly string[]): boolean {
  if (path === undefined) return false;
  return ancestors.some(
    (ancestor) => path === ancestor || (path.startsWith(ancestor) && /^[.[]/.test(path.slice(ancestor.length))),
  );
}

/** Reads the JSON of a drop-in file, which is read as YAML even when it begins with a brace. @throws Error when it is no KubeletConfiguration */
export function decodeDropIn(source: string): JsonObject {
  const { apiVersion, kind, fields } = readTypeMeta(parseYaml(source).value);
  if (apiVersion === API_VERSION && kind === KIND) return fields;
  throw new Error(`expected apiVersion ${API_VERSION} and kind ${KIND}, got "${apiVersion}" and "${kind}"`);
}

function readTypeMeta(value: JsonValue): { apiVersion: string; kind: string; fields: JsonObject } {
  if (!isJsonObject(value)) throw new Error(`expected an object of kind ${KIND}`);
  const { apiVersion, kind } = Object.fromEntries(value);
  if (typeof kind !== 'string' || kind === '') throw new Error('the field kind is missing');
  if (typeof apiVersion !== 'string') throw new Error('the field apiVersion is missing');
  const fields = new Map(value);
  fields.delete('apiVersion');
  fields.delete('kind');
  return { apiVersion, kind, fields };
}

/** Top-level fields that are paths of the node. */
const PATH_FIELDS = [
  'podLogsDir',
  'resolvConf',
  'staticPodPath',
  'tlsCertFile',
  'tlsPrivateKeyFile',
  'volumePluginDir',
] as const satisfies readonly (keyof KubeletConfiguration)[];

function resolvePaths(configuration: KubeletConfiguration, directory: string): KubeletConfiguration {
  const resolve = (path: string): string => (isAbsolute(path) ? path : join(directory, path).replace(/(?<=.)\/$/, ''));
  const { authentication } = configuration;
  const clientCAFile = authentication?.x509?.clientCAFile;
  const paths = PATH_FIELDS.flatMap((field) => {
    const path = configuration[field];
    return path ? [[field, resolve(path)] as const] : [];
  });
  return {
    ...configuration,
    ...Object.fromEntries(paths),
    ...(clientCAFile && {
      authentication: { ...authentication, x509: { clientCAFile: resolve(clientCAFile) } },
    }),
  };
}
