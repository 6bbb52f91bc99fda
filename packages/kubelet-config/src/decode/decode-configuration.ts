import { dirname, isAbsolute, join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { KubeletConfigurationError } from '../config-error.ts';
import type { KubeletConfiguration } from '../schema/kubelet-configuration.ts';
import { kubeletConfigurationFields } from '../schema/kubelet-configuration-fields.ts';
import { decodeStruct } from './decode-value.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';
import { parseText } from './parse-text.ts';

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
    const { value, duplicates } = parseText(source);
    const { apiVersion, kind, fields } = readTypeMeta(value);
    if (apiVersion !== API_VERSION || kind !== KIND)
      return reject(`expected apiVersion ${API_VERSION} and kind ${KIND}, got "${apiVersion}" and "${kind}"`);
    const unknown: string[] = [];
    const onUnknownField = (field: string): void => void unknown.push(field);
    const configuration = decodeStruct(kubeletConfigurationFields, fields, '', { onUnknownField });
    return {
      configuration: resolvePaths(configuration, dirname(path)),
      warnings: [
        ...duplicates.map((field) => `duplicate field "${field}"`),
        ...unknown.map((field) => `unknown field "${field}"`),
      ],
    };
  } catch (error) {
    if (error instanceof KubeletConfigurationError) throw error;
    return reject(errorMessage(error));
  }
}

/** Reads the JSON of a drop-in file. @throws Error when it is no KubeletConfiguration */
export function decodeDropIn(source: string): JsonObject {
  const { apiVersion, kind, fields } = readTypeMeta(parseText(source).value);
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

function resolvePaths(configuration: KubeletConfiguration, directory: string): KubeletConfiguration {
  const resolve = (path: string): string => (isAbsolute(path) ? path : join(directory, path));
  const { staticPodPath, tlsCertFile, tlsPrivateKeyFile, authentication } = configuration;
  const clientCAFile = authentication?.x509?.clientCAFile;
  return {
    ...configuration,
    ...(staticPodPath && { staticPodPath: resolve(staticPodPath) }),
    ...(tlsCertFile && { tlsCertFile: resolve(tlsCertFile) }),
    ...(tlsPrivateKeyFile && { tlsPrivateKeyFile: resolve(tlsPrivateKeyFile) }),
    ...(clientCAFile && {
      authentication: { ...authentication, x509: { clientCAFile: resolve(clientCAFile) } },
    }),
  };
}
