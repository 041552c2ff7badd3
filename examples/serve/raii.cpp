// raii.cpp: the same from C++17: an instance that is freed by itself, failures as exceptions.
#include <mlp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

void check(int status) {
    if (status) throw std::runtime_error(opgen_last_error());
}

class Mlp {
  public:
    explicit Mlp(const OpgenOptions &options = opgen_options()) {
        OpgenInstance *made;
        check(mlp_create(&options, &made));
        instance.reset(made);
    }

    // One row of probabilities for each of `x`, which is a whole number of rows.
    std::vector<std::array<float, 10>> operator()(std::vector<float> &x) const {
        const auto rows = static_cast<int64_t>(x.size() / 64);
        std::vector<std::array<float, 10>> y(x.size() / 64), logits(x.size() / 64);
        int64_t x_shape[] = {rows, 64}, y_shape[] = {rows, 10};
        const DLTensor in = opgen_tensor(x.data(), OPGEN_F32, 2, x_shape);
        const DLTensor out = opgen_tensor(y.data(), OPGEN_F32, 2, y_shape);
        const DLTensor out_logits = opgen_tensor(logits.data(), OPGEN_F32, 2, y_shape);
        check(mlp_run(instance.get(), &in, &out, &out_logits, nullptr));
        return y;
    }

  private:
    struct Free {
        void operator()(OpgenInstance *instance) const { (void)mlp_free(instance); }
    };
    std::unique_ptr<OpgenInstance, Free> instance;
};

} // namespace

int main() {
    try {
        Mlp first, mlp = std::move(first);
        std::vector<float> x(64);
        for (size_t i = 0; i < x.size(); i++)
            x[i] = static_cast<float>(i) / 64;
        const auto y = mlp(x).front();
        const auto best = std::max_element(y.begin(), y.end());
        std::printf("raii: class %td with %.4f\n", best - y.begin(), static_cast<double>(*best));
        OpgenOptions options = opgen_options();
        options.weights = "/nowhere.safetensors";
        Mlp none(options);
    } catch (const std::exception &failure) {
        std::printf("raii: refused: %s\n", failure.what());
        return 0;
    }
    return 1;
}
