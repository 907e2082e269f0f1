/** Routes for the behaviour of the platform where it is not documented. */
import { shape } from '@ecsm/runtime';
import { profiles } from '../platform/behaviour.ts';
import { isProfileName, profileNames, readSwitches, switchNames } from './behaviour.ts';
import { didYouMean } from './did-you-mean.ts';
import { ControlError, readBody } from './input.ts';
import type { ControlRoute } from './subject.ts';

const fields = Object.fromEntries(['profile', ...switchNames].map((name) => [name, shape.optional(shape.anything())]));

export const behaviourRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/sim/behaviour',
    does: 'returns the switches and the names of the profiles',
    handle: ({ platform }) => ({ behaviour: platform.behaviour, profiles: profileNames }),
  },
  {
    method: 'PUT',
    path: '/sim/behaviour',
    does: 'changes some switches, or with a profile all of them',
    body: { profile: 'likely', update: 'roll', startMs: 2_000 },
    handle({ platform, request }) {
      const { profile, ...switches } = readBody(request, fields);
      if (profile !== undefined && !isProfileName(profile)) {
        const hint = didYouMean(String(profile), profileNames);
        throw new ControlError(400, `there is no profile ${JSON.stringify(profile)}.${hint}`);
      }
      platform.setBehaviour({ ...(profile === undefined ? {} : profiles[profile]), ...readSwitches(switches) });
      return { behaviour: platform.behaviour };
    },
  },
];
