double pow_(double base, long exp);
int main(void)
{
	double t, result = 0.0;
	int i = 1;
	while (i <= 18) {
		if ((i % 2) == 0) {
			t = pow_(i, 2);
			result += t;
		}
		if ((i % 3) == 0) {
			t = pow_(i, 2);
			result += t;
		}
		i++;
	}
	return 0;
}
