/** What is known of an image on the node; `not-accessible` is one that is present, but the pod has to show that it may pull it. */
export type ImagePresence = 'not-looked-up' | 'present' | 'not-accessible' | 'absent';

/** The next step towards an image: ask the runtime for it, use what is there, pull it, or refuse the request. */
export type ImageStep = 'look-up' | 'use' | 'pull' | 'refuse';

/**
 * What the pull policy asks for next. `Always` never looks, so that a moved tag is noticed; the runtime downloads only the layers it lacks. A pod
 * without a policy did not pass the API's defaulting and is treated like `Always`, as the kubelet does.
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
      return pullPolicy === 'Never' ? 'refuse' : 'pull';
  }
}
