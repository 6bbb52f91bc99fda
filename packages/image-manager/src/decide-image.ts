/** Presence of an image on the node; a `not-accessible` image is present, but the pod must prove that it may pull it. */
export type ImagePresence = 'not-looked-up' | 'present' | 'not-accessible' | 'absent';

/** Next step towards an image: look it up in the runtime, use it, pull it, or reject the request. */
export type ImageStep = 'look-up' | 'use' | 'pull' | 'reject';

/**
 * Returns the next step by the pull policy. `Always` skips the look-up, so that a moved tag takes effect; the runtime downloads only missing layers. A pod
 * without a policy did not pass the API's defaulting and is treated like `Always`, as in the kubelet.
 */
export function decideImage(pullPolicy: string | undefined, presence: ImagePresence): ImageStep {
  if (pullPolicy !== 'IfNotPresent' && pullPolicy !== 'Never') return 'pull';
  switch (presence) {
    case 'not-looked-up':
      return 'look-up';
    case 'present':
      return 'use';
    case 'not-accessible':
    case 'absent':
      return pullPolicy === 'Never' ? 'reject' : 'pull';
  }
}
