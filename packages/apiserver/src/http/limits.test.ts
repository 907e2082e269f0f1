import { describe, expect, it } from 'vitest';
import { Admission } from './limits.ts';

describe('Admission', () => {
  it('admits as many requests as the limits allow, and one more when one has ended', () => {
    const admission = new Admission(3, 2);
    const end = admission.enter('ann');
    admission.enter('ann');
    expect(() => admission.enter('ann')).toThrow('too many requests');
    admission.enter('bob');
    expect(() => admission.enter('eve')).toThrow('too many requests');
    end();
    admission.enter('ann');
    expect(admission.total).toBe(3);
  });

  it('frees one place for a request that ends twice', () => {
    const admission = new Admission(2, 2);
    const end = admission.enter('ann');
    admission.enter('ann');
    end();
    end();
    expect(admission.total).toBe(1);
    admission.enter('ann');
    expect(() => admission.enter('ann')).toThrow('too many requests');
  });
});
