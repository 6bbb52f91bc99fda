import {
  encodeConfiguration,
  findStartProblems,
  KubeletConfigurationError,
  loadConfiguration,
} from '@rxlet/kubelet-config';
import type { Answer } from '../vector-kind.ts';

interface KubeletConfigVector {
  readonly input: {
    readonly file: string | null;
    readonly dropins?: readonly { readonly path: string; readonly content: string }[];
    readonly args?: readonly string[];
    readonly cgroup: 'v1' | 'v2';
  };
  readonly want: {
    readonly accepted: boolean;
    readonly config?: object;
    readonly strictErrors?: readonly string[];
    readonly skipped?: readonly string[];
    readonly startErrors?: readonly string[];
    readonly stage?: string;
    readonly errors?: readonly string[];
    readonly fields?: readonly string[];
  };
}

const CONFIG_FILE = '/etc/kubelet/config.yaml';
const DROP_IN_DIRECTORY = '/etc/kubelet/conf.d';

/** Returns the effective configuration of a file, drop-ins and flags, or why it is rejected. */
export function run({ input, want }: KubeletConfigVector): Answer {
  return { got: answer(input), want: normalize(want) };
}

function answer({ file, dropins, args = [], cgroup }: KubeletConfigVector['input']): unknown {
  try {
    const { configuration, warnings, skippedFiles } = loadConfiguration({
      ...(file !== null && { file: { path: CONFIG_FILE, content: file } }),
      ...(dropins !== undefined && {
        dropIns: dropins.map(({ path, content }) => ({ path: `${DROP_IN_DIRECTORY}/${path}`, content })),
      }),
      args,
      cgroupVersion: cgroup,
    });
    return {
      accepted: true,
      config: withoutZeros(encodeConfiguration(configuration)),
      strictErrors: quotedPaths(warnings),
      skipped: [...skippedFiles].sort(),
      startErrors: [...new Set(findStartProblems(configuration).map(({ part }) => part))].sort(),
    };
  } catch (error) {
    if (!(error instanceof KubeletConfigurationError)) throw error;
    const { stage, problems } = error;
    if (stage !== 'validation') return { accepted: false, stage };
    const fields = [...new Set(problems.flatMap(({ fields }) => fields))].sort();
    return { accepted: false, stage, fields, problems: problems.length };
  }
}

function normalize(want: KubeletConfigVector['want']): unknown {
  const { accepted, stage, config = {}, strictErrors = [], skipped = [], startErrors = [] } = want;
  if (accepted)
    return {
      accepted,
      config: withoutZeros({ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...config }),
      strictErrors: quotedPaths(strictErrors),
      skipped: [...skipped].sort(),
      startErrors: [...startErrors].sort(),
    };
  if (stage !== 'validation') return { accepted, stage };
  return { accepted, stage, fields: [...(want.fields ?? [])].sort(), problems: want.errors?.length };
}

/** Returns the fields named in a decoder's errors, whatever their wording: those of YAML have only the last key of a path. */
function quotedPaths(complaints: readonly string[]): string[] {
  return complaints.flatMap((complaint) => [...complaint.matchAll(/"([^"]*)"/g)].map(([, path]) => path!)).sort();
}

/** Removes fields that are absent, null, empty or zero. */
function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutZeros);
  if (typeof value !== 'object' || value === null)
    return value === null || value === '' || value === 0 || value === false ? undefined : value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = withoutZeros(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
