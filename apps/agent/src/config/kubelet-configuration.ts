import { isIP } from 'node:net';
import { dirname, normalize, resolve } from 'node:path';
import { parseGoDuration } from '@rxlet/component-base';
import { parseQuantity, quantityValue } from '@rxlet/pod-model';
import { parseDocument, type YAMLParseError } from 'yaml';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';

/** The fields of a KubeletConfiguration that the agent honours. All durations are in milliseconds; what is not set has the kubelet's default. */
export interface KubeletConfiguration {
  /** Folder with pod manifests, or one such file; absolute. */
  readonly staticPodPath?: string;
  /** How often that folder is read again besides being watched, ms. */
  readonly fileCheckFrequency?: number;
  /** Where a server has pods for this node. */
  readonly staticPodURL?: string;
  /** Headers of the requests to it; a name may have several values. */
  readonly staticPodURLHeader?: Readonly<Record<string, readonly string[]>>;
  /** How often it is asked, ms. */
  readonly httpCheckFrequency?: number;
  readonly podLogsDir?: string;
  readonly containerRuntimeEndpoint?: string;
  readonly imageServiceEndpoint?: string;
  /** How long a call to the runtime may take, ms. */
  readonly runtimeRequestTimeout?: number;
  /** How often a pod is looked at when nothing happens, ms. */
  readonly syncFrequency?: number;
  readonly serializeImagePulls?: boolean;
  readonly maxParallelImagePulls?: number;
  /** Pulls begun per second; 0: any number. */
  readonly registryPullQPS?: number;
  readonly registryBurst?: number;
  /** Who may use an image that is on the node already. */
  readonly imagePullCredentialsVerificationPolicy?: (typeof VERIFICATION_POLICIES)[number];
  readonly preloadedImagesVerificationAllowlist?: readonly string[];
  /** Percent of the disk of images; from here on unused images are removed … */
  readonly imageGCHighThresholdPercent?: number;
  /** … until it is down to this. */
  readonly imageGCLowThresholdPercent?: number;
  /** An image is not removed while it is younger, ms. */
  readonly imageMinimumGCAge?: number;
  /** An image that nobody has used for this long is removed, ms. */
  readonly imageMaximumGCAge?: number;
  /** A log that is longer is rotated, bytes; negative: none is. */
  readonly containerLogMaxSize?: number;
  /** How many files of a log are kept. */
  readonly containerLogMaxFiles?: number;
  /** How many logs are rotated at the same time. */
  readonly containerLogMaxWorkers?: number;
  /** How often logs are looked at, ms. */
  readonly containerLogMonitorInterval?: number;
  readonly clusterDNS?: readonly string[];
  readonly clusterDomain?: string;
  /** The file from which pods have their name servers; the empty string: none. */
  readonly resolvConf?: string;
  readonly seccompDefault?: boolean;
  readonly cpuCFSQuota?: boolean;
  /** ms */
  readonly cpuCFSQuotaPeriod?: number;
  readonly crashLoopBackOff?: {
    /** ms */
    readonly maxContainerRestartPeriod?: number;
  };
}

const VERIFICATION_POLICIES = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] as const;

/** A field that may be left out, or left empty: to the API, null is the same as not set. */
function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const text = optional(z.string());
const flag = optional(z.boolean());
const count = (least: number) => optional(z.int().min(least, { error: `expected at least ${String(least)}` }));
/** Where the empty string is the kubelet's way to say that the field is not set. */
const textOrDefault = text.transform((value) => value || undefined);

const durationValue = z.string({ error: 'expected a duration like 20s or 1m30s' }).transform((value, context) => {
  const ms = parseGoDuration(value);
  if (ms !== undefined && ms >= 0) return ms;
  context.addIssue({ code: 'custom', message: `"${value}" is not a duration like 20s or 1m30s` });
  return z.NEVER;
});
/** Where zero is the kubelet's way to say that the field is not set. */
const durationOrDefault = optional(durationValue).transform((ms) => ms || undefined);
const durationWithin = (least: string, most: string) =>
  optional(
    durationValue.refine((ms) => ms >= parseGoDuration(least)! && ms <= parseGoDuration(most)!, {
      error: `expected a duration from ${least} to ${most}`,
    }),
  );

const percent = optional(z.int().min(0, { error: 'expected 0 to 100' }).max(100, { error: 'expected 0 to 100' }));
/** A size like 10Mi. */
const bytes = optional(
  z.union([z.string(), z.number()], { error: 'expected a size like 10Mi' }).transform((value, context) => {
    try {
      return Number(quantityValue(parseQuantity(value)));
    } catch {
      context.addIssue({ code: 'custom', message: `"${String(value)}" is not a size like 10Mi` });
      return z.NEVER;
    }
  }),
);
const httpUrl = textOrDefault.refine((url) => url === undefined || /^https?:\/\/[^/]/.test(url), {
  error: 'expected a URL that begins with http:// or https://',
});

const schema = z.strictObject({
  apiVersion: z.literal('kubelet.config.k8s.io/v1beta1'),
  kind: z.literal('KubeletConfiguration'),
  staticPodPath: textOrDefault,
  fileCheckFrequency: durationOrDefault,
  staticPodURL: httpUrl,
  staticPodURLHeader: optional(z.record(z.string(), z.array(z.string()))),
  httpCheckFrequency: durationOrDefault,
  podLogsDir: textOrDefault.refine((path) => path === undefined || isCleanAbsolutePath(path), {
    error: 'expected an absolute path without ".." and the like, in ASCII',
  }),
  containerRuntimeEndpoint: textOrDefault,
  imageServiceEndpoint: textOrDefault,
  runtimeRequestTimeout: durationOrDefault,
  syncFrequency: durationOrDefault,
  serializeImagePulls: flag,
  maxParallelImagePulls: count(1),
  registryPullQPS: count(0),
  registryBurst: count(0).transform((burst) => burst || undefined),
  imagePullCredentialsVerificationPolicy: optional(z.enum(VERIFICATION_POLICIES)),
  preloadedImagesVerificationAllowlist: optional(z.array(z.string())),
  imageGCHighThresholdPercent: percent,
  imageGCLowThresholdPercent: percent,
  imageMinimumGCAge: durationOrDefault,
  imageMaximumGCAge: durationOrDefault,
  containerLogMaxSize: bytes,
  containerLogMaxFiles: count(2),
  containerLogMaxWorkers: count(1),
  containerLogMonitorInterval: durationWithin('3s', '24h'),
  clusterDNS: optional(
    z.array(z.string().refine((address) => isIP(address) !== 0, { error: 'expected an IP address' })),
  ),
  clusterDomain: text,
  resolvConf: text,
  seccompDefault: flag,
  cpuCFSQuota: flag,
  cpuCFSQuotaPeriod: durationWithin('1ms', '1s'),
  crashLoopBackOff: optional(z.strictObject({ maxContainerRestartPeriod: durationWithin('1s', '300s') })),
});

/**
 * Reads a KubeletConfiguration (kubelet.config.k8s.io/v1beta1) in YAML or JSON. Relative paths in it count from the file's folder. A field that the
 * agent does not honour is refused, rather than to ignore what somebody relies on.
 *
 * @throws ConfigError naming the file, each field that is wrong or not known, and what is expected
 */
export function parseKubeletConfiguration(source: string, file: string): KubeletConfiguration {
  const result = schema.safeParse(parseYaml(source, file));
  if (!result.success) {
    const what = `${file} is not a KubeletConfiguration that rxlet can honour:`;
    const problems = result.error.issues.flatMap(describeIssue);
    throw new ConfigError(problems.length === 1 ? `${what} ${problems.join()}` : [what, ...problems].join('\n  '));
  }
  const { apiVersion: _apiVersion, kind: _kind, staticPodPath, ...rest } = result.data;
  const contradiction = findContradiction(rest);
  if (contradiction !== undefined) throw new ConfigError(`${file}: ${contradiction}`);
  return { ...rest, ...(staticPodPath !== undefined && { staticPodPath: resolve(dirname(file), staticPodPath) }) };
}

/** What no field is to blame for alone. */
function findContradiction(kubelet: KubeletConfiguration): string | undefined {
  const { imageGCHighThresholdPercent: high = 85, imageGCLowThresholdPercent: low = 80 } = kubelet;
  const { imageMinimumGCAge: minimumAgeMs = 120_000, imageMaximumGCAge: maximumAgeMs } = kubelet;
  if (kubelet.serializeImagePulls === true && (kubelet.maxParallelImagePulls ?? 1) > 1)
    return 'maxParallelImagePulls above 1 needs serializeImagePulls to be false';
  if (low >= high)
    return `imageGCLowThresholdPercent (${String(low)}) must be below imageGCHighThresholdPercent (${String(high)})`;
  if (maximumAgeMs !== undefined && maximumAgeMs <= minimumAgeMs)
    return 'imageMaximumGCAge must be longer than imageMinimumGCAge (2m by default)';
  if (
    kubelet.preloadedImagesVerificationAllowlist !== undefined &&
    kubelet.imagePullCredentialsVerificationPolicy !== 'NeverVerifyAllowlistedImages'
  )
    return 'preloadedImagesVerificationAllowlist needs imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages';
  return undefined;
}

function parseYaml(source: string, file: string): unknown {
  // The kubelet reads YAML 1.1, where `no` is a boolean.
  const document = parseDocument(source, { version: '1.1' });
  const [error] = document.errors;
  if (error !== undefined) throw new ConfigError(describeSyntaxError(error, source, file));
  let value: unknown;
  try {
    value = document.toJS();
  } catch (cause) {
    throw new ConfigError(`${file} is not valid YAML: ${(cause as Error).message}`, { cause });
  }
  if (value === null || value === undefined) throw new ConfigError(`${file} is empty: expected a KubeletConfiguration`);
  return value;
}

function describeSyntaxError({ code, linePos, message, pos }: YAMLParseError, source: string, file: string): string {
  const where =
    linePos === undefined ? file : `${file}, line ${String(linePos[0].line)}, column ${String(linePos[0].col)}`;
  if (code === 'MULTIPLE_DOCS') return `${where}: a second document begins, expected one`;
  if (code === 'DUPLICATE_KEY') {
    const [key = ''] = /^[^\s:]+/.exec(source.slice(pos[0])) ?? [];
    return `${where}: the field ${key} is there twice`;
  }
  // The first line says it; the library goes on with the position and the source.
  const [first = ''] = message.split('\n');
  return `${where}: not valid YAML: ${first.replace(/ at line \d+, column \d+:?$/, '')}`;
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? `[${String(part)}]` : `.${String(part)}`)).join('');
  const named = (problem: string, field = ''): string => {
    const whole = `${path}${field}`.replace(/^\./, '');
    return whole === '' ? problem : `${whole}: ${problem}`;
  };
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => named(`rxlet does not know this field; ${suggestion(key)}`, `.${key}`));
  }
  return [named(issue.message.replace(/^Invalid (input|option): /, ''))];
}

function suggestion(key: string): string {
  const meant = Object.keys(schema.shape).find((known) => known.toLowerCase() === key.toLowerCase());
  return meant === undefined ? 'remove it or check its spelling' : `it is spelt ${meant}`;
}

function isCleanAbsolutePath(path: string): boolean {
  return path.startsWith('/') && normalize(path) === path && /^[\x00-\x7f]*$/.test(path);
}
