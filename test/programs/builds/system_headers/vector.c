#include <emmintrin.h>
int main(void)
{
	return _mm_cvtsi128_si32(_mm_add_epi32(_mm_set1_epi32(1), _mm_set1_epi32(-1)));
}
