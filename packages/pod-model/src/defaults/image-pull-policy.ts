import type { PullPolicy } from '@rxlet/kube-api';

/** The policy for an image whose pod names none: `Always` for tag `latest`, given or implied, because it moves; else `IfNotPresent`. */
export function imagePullPolicyFor(image: string): PullPolicy {
  const [name = '', digest] = image.split('@', 2);
  const tag = /:([^/:]*)$/.exec(name)?.[1];
  return tag === 'latest' || (tag === undefined && digest === undefined && name !== '') ? 'Always' : 'IfNotPresent';
}
