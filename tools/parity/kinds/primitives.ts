import { createKeyring } from '@rxlet/image-credentials';
import { applyDefaultTag, ImageReferenceError } from '@rxlet/image-manager';
import type { PodSpec } from '@rxlet/kube-api';
import { expandVariables, podContainers, podQosClass } from '@rxlet/pod-model';
import { milliCpuToQuota, milliCpuToShares, oomScoreAdj } from '@rxlet/pod-model/cgroups';
import { containerHash } from '@rxlet/pod-model/hash';
import {
  formatQuantity,
  parseQuantity,
  QuantityError,
  quantityMilliValue,
  quantityValue,
} from '@rxlet/pod-model/quantity';
import { ConfigError, kernelHostname } from '@rxlet/runtime-manager/config';
import type { Answer } from '../vector-kind.ts';

interface PrimitiveVector {
  readonly fn: string;
  readonly input: unknown;
  readonly want: unknown;
}

interface HostnameInput {
  readonly hostname: string;
  readonly domain: string;
  readonly asFQDN: boolean;
}

/** The recording has no details of an error. */
const failure = { error: true };

const primitives: Readonly<Record<string, (input: never) => unknown>> = {
  containerHash,
  milliCPUToShares: (millis: number) => milliCpuToShares(millis),
  milliCPUToQuota: (millis: number) => milliCpuToQuota(millis),
  expand: ({ text, env }: { text: string; env: Record<string, string> }) => {
    const values = new Map(Object.entries(env));
    return expandVariables(text, (name) => values.get(name));
  },
  imageReference: (image: string) => orFailure(() => ({ image: applyDefaultTag(image) }), ImageReferenceError),
  quantity: (text: string) =>
    orFailure(() => {
      const quantity = parseQuantity(text);
      return {
        canonical: formatQuantity(quantity),
        value: String(quantityValue(quantity)),
        milliValue: String(quantityMilliValue(quantity)),
      };
    }, QuantityError),
  qosAndOom: ({ spec, memoryCapacityBytes }: { spec: PodSpec; memoryCapacityBytes: string }) => {
    const pod = { spec };
    const scores = podContainers(pod).map(({ container }): [string, number] => [
      container.name,
      oomScoreAdj(pod, container, BigInt(memoryCapacityBytes)),
    ]);
    return { qosClass: podQosClass(pod), oomScoreAdj: Object.fromEntries(scores) };
  },
  kernelHostname: ({ hostname, domain, asFQDN }: HostnameInput) =>
    orFailure(() => {
      const pod = { spec: { containers: [], setHostnameAsFQDN: asFQDN } };
      return { hostname: kernelHostname(pod, { hostname, domain }) };
    }, ConfigError),
  keyringLookup: ({ auths, image }: { auths: Record<string, string>; image: string }) => {
    const entries = Object.entries(auths).map(([registry, username]) => ({ registry, credential: username }));
    const usernames = createKeyring(entries).lookup(image);
    return { found: usernames.length > 0, usernames };
  },
};

/** Runs one of several small pure functions. */
export function run({ fn, input, want }: PrimitiveVector): Answer {
  const primitive = Object.hasOwn(primitives, fn) ? primitives[fn] : undefined;
  if (primitive === undefined) throw new Error(`the function ${JSON.stringify(fn)} is not supported`);
  return { got: primitive(input as never), want };
}

function orFailure<T>(answer: () => T, expected: abstract new (...args: never) => Error): T | typeof failure {
  try {
    return answer();
  } catch (error) {
    if (error instanceof expected) return failure;
    throw error;
  }
}
